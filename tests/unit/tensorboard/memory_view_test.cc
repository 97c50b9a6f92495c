#include <gtest/gtest.h>

#include "strobe/tensorboard/memory_view.h"
#include "tests/unit/tensorboard/view_desk.h"

namespace strobe::tensorboard {
namespace {

TEST(MetricUnitTest, memory_units_are_powers_of_1024_and_may_be_shortened) {
  EXPECT_EQ(memory_unit("KB")->factor, 1.0 / 1024);
  EXPECT_EQ(memory_unit("M")->name, "MB");
  EXPECT_EQ(memory_unit("G")->factor, 1.0 / (1024.0 * 1024 * 1024));
  EXPECT_EQ(memory_unit("")->name, "B");
  EXPECT_FALSE(memory_unit("kb"));
}

TEST(MetricUnitTest, times_are_microseconds_in_the_file) {
  EXPECT_EQ(time_unit("us")->factor, 1.0);
  EXPECT_EQ(time_unit("ms")->factor, 0.001);
  EXPECT_EQ(time_unit("s")->factor, 1e-6);
  EXPECT_FALSE(time_unit("ns"));
}

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

TEST(MemoryViewTest, sizes_and_counts_are_summed_by_device_and_operator) {
  ViewDesk desk;
  desk.add("w", TraceLines()
                    .op("outer", 0, 100)
                    .op("inner", 10, 10)
                    .op("inner", 30, 10)
                    .memory(5, 1, 1024, 0, -1)
                    .memory(15, 2, 2048, 1, 0)
                    .memory(16, 3, 8, 1, 0)
                    .memory(35, 2, -2048, 1, 0)
                    .text());
  EXPECT_EQ(member(desk.body("memory"), "rows"),
            R"({"CPU": [["outer", 1, 1.0, 1.0, 1, 1, 1.0, 1.0]], )"
            R"("GPU0": [["inner", 2, 0.008, 0.008, 2, 2, 2.01, 2.01], )"
            R"(["outer", 1, 0.008, 0.0, 2, 0, 2.01, 0.0]]})");
}

TEST(MemoryViewTest, the_unit_is_in_the_titles) {
  ViewDesk desk;
  desk.add("w", TraceLines().op("a", 0, 10).memory(5, 1, 1 << 20, 1, 3).text());
  const std::string body = desk.body("memory", {{"memory_metric", "M"}});
  EXPECT_EQ(member(body, "metadata"),
            R"({"title": "Memory View", "default_device": "GPU3", "search": "Operator Name", )"
            R"x("sort": "Self Size Increase (MB)"})x");
  EXPECT_EQ(member(body, "rows"), R"({"GPU3": [["a", 1, 1.0, 1.0, 1, 1, 1.0, 1.0]]})");
  EXPECT_NE(body.find(R"({"name": "Operator Name", "type": "string"}, {"name": "Calls", "type": )"
                      R"("number", "tooltip": )"),
            std::string::npos);
  EXPECT_NE(body.find("\"Allocation Size (MB)\""), std::string::npos);
}

TEST(MemoryViewTest, an_unvisited_node_counts_as_a_call_and_what_it_called_does_not) {
  ViewDesk desk;
  desk.add("w", TraceLines()
                    .op("a", 0, 10)
                    .op("b", 2, 2)
                    .op("a", 20, 10)
                    .op("b", 22, 2)
                    .op("b", 30, 5)
                    .memory(3, 1, 1024, 0, -1)
                    .text());
  EXPECT_EQ(member(desk.body("memory"), "rows"),
            R"({"CPU": [["a", 2, 1.0, 0.0, 1, 0, 1.0, 0.0], ["b", 2, 1.0, 1.0, 1, 1, 1.0, 1.0]]})");
}

TEST(MemoryViewTest, the_window_includes_both_ends_for_nodes_and_records) {
  ViewDesk desk;
  desk.add("w", TraceLines()
                    .op("a", 0, 10)
                    .op("a", 20, 10)
                    .op("a", 40, 10)
                    .memory(5, 1, 1024, 0, -1)
                    .memory(25, 2, 1024, 0, -1)
                    .memory(45, 3, 1024, 0, -1)
                    .text());
  EXPECT_EQ(member(desk.body("memory", {{"start_ts", "25"}, {"end_ts", "40"}}), "rows"),
            R"({"CPU": [["a", 2, 1.0, 1.0, 1, 1, 1.0, 1.0]]})");
  EXPECT_EQ(member(desk.body("memory", {{"start_ts", "10"}, {"end_ts", "24"}}), "rows"), "{}");
}

TEST(MemoryViewTest, rows_of_zeros_and_devices_without_a_name_are_left_out) {
  ViewDesk desk;
  desk.add("w", TraceLines().op("a", 0, 10).memory(5, 1, 0, 0, -1).memory(6, 2, 1024, 6, 0).text());
  EXPECT_EQ(member(desk.body("memory"), "rows"), "{}");
  EXPECT_EQ(member(desk.body("memory"), "default_device"), "\"CPU\"");
}

TEST(MemoryViewTest, a_trace_without_memory_has_no_such_view_and_nonsense_is_refused) {
  ViewDesk desk;
  desk.add("w", TraceLines().op("a", 0, 10).text());
  EXPECT_EQ(desk.ask("memory").status, 404);
  ViewDesk other;
  other.add("w", TraceLines().op("a", 0, 10).memory(5, 1, 1, 0, -1).text());
  EXPECT_EQ(other.ask("memory", {{"start_ts", "soon"}}).status, 400);
  EXPECT_EQ(other.ask("memory", {{"memory_metric", "TB"}}).status, 400);
  EXPECT_EQ(other.ask("memory").status, 200);
  EXPECT_TRUE(other.ask("memory").gzip);
}

}  // namespace

}  // namespace strobe::tensorboard
