#include <gtest/gtest.h>

#include "tests/unit/tensorboard/view_desk.h"

namespace strobe::tensorboard {
namespace {

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
