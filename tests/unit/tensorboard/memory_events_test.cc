#include <gtest/gtest.h>

#include "tests/unit/tensorboard/view_desk.h"

namespace strobe::tensorboard {
namespace {

std::string rows(const TraceLines& lines, Parameters more = {}) {
  ViewDesk desk;
  desk.add("w", lines.text());
  more.emplace("time_metric", "us");
  more.emplace("memory_metric", "B");
  return member(desk.body("memory_events", more), "rows");
}

TEST(MemoryEventsTest, a_release_of_an_open_address_is_a_row_on_the_device_of_the_allocation) {
  EXPECT_EQ(
      rows(TraceLines().op("aten::mm", 0, 50).memory(10, 7, 64, 1, 0).memory(30, 7, -60, 0, -1)),
      R"({"GPU0": [["aten::mm", 60.0, 10.0, 30.0, 20.0]]})");
}

TEST(MemoryEventsTest, leftovers_come_behind_in_the_order_of_their_addresses) {
  EXPECT_EQ(rows(TraceLines()
                     .op("a", 0, 99)
                     .memory(1, 9, -5, 0, -1)
                     .memory(2, 8, -6, 0, -1)
                     .memory(3, 9, -7, 0, -1)
                     .memory(10, 1, 64, 0, -1)
                     .memory(11, 2, 32, 0, -1)
                     .memory(12, 1, 16, 0, -1)
                     .memory(13, 3, 8, 0, -1)
                     .memory(14, 3, -8, 0, -1)),
            R"({"CPU": [["a", 8.0, 13.0, 14.0, 1.0], ["a", 16.0, 12.0, null, null], )"
            R"(["a", 32.0, 11.0, null, null], ["<unknown>", 7.0, null, 3.0, null], )"
            R"(["<unknown>", 6.0, null, 2.0, null]]})");
}

TEST(MemoryEventsTest, an_address_opened_again_moves_to_the_end) {
  EXPECT_EQ(rows(TraceLines()
                     .op("a", 0, 99)
                     .memory(10, 1, 64, 0, -1)
                     .memory(11, 2, 32, 0, -1)
                     .memory(12, 1, -64, 0, -1)
                     .memory(13, 1, 16, 0, -1)),
            R"({"CPU": [["a", 64.0, 10.0, 12.0, 2.0], ["a", 32.0, 11.0, null, null], )"
            R"(["a", 16.0, 13.0, null, null]]})");
}

TEST(MemoryEventsTest, who_called_aten_empty_is_told_with_it) {
  EXPECT_EQ(rows(TraceLines()
                     .op("aten::relu", 0, 50)
                     .op("aten::empty_like", 5, 20)
                     .memory(10, 7, 64, 0, -1)),
            R"x({"CPU": [["aten::relu (aten::empty_like)", 64.0, 10.0, null, null]]})x");
}

TEST(MemoryEventsTest, the_window_hides_allocations_from_their_releases_but_not_their_names) {
  EXPECT_EQ(rows(TraceLines()
                     .op("a", 0, 50)
                     .memory(10, 7, 64, 0, -1)
                     .memory(30, 7, -64, 0, -1)
                     .memory(31, 8, 64, 0, -1),
                 {{"start_ts", "11"}, {"end_ts", "30"}}),
            R"({"CPU": [["a", 64.0, null, 30.0, null]]})");
}

TEST(MemoryEventsTest, columns_carry_their_units_and_empty_tooltips) {
  ViewDesk desk;
  desk.add("w", TraceLines().op("a", 0, 50).memory(10, 7, 64, 0, -1).text());
  const std::string body = desk.body("memory_events");
  EXPECT_EQ(member(body, "columns"),
            R"([{"name": "Operator", "type": "string", "tooltip": ""}, )"
            R"x({"name": "Size (KB)", "type": "number", "tooltip": ""}, )x"
            R"x({"name": "Allocation Time (ms)", "type": "number", "tooltip": ""}, )x"
            R"x({"name": "Release Time (ms)", "type": "number", "tooltip": ""}, )x"
            R"x({"name": "Duration (ms)", "type": "number", "tooltip": ""}])x");
  EXPECT_EQ(member(body, "rows"), R"({"CPU": [["a", 0.06, 0.01, null, null]]})");
}

}  // namespace
}  // namespace strobe::tensorboard
