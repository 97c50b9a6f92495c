#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/tensorboard/view_desk.h"

namespace strobe::tensorboard {
namespace {

using ::testing::HasSubstr;

ViewDesk desk_of(const TraceLines& lines) {
  ViewDesk desk;
  desk.add("worker0", lines.text());
  return desk;
}

TEST(OperationTest, charts_hold_what_took_time_and_are_null_without_any) {
  const ViewDesk desk = desk_of(TraceLines().op("a", 0, 10).op("b", 1, 9).op("c", 20, 0));
  const std::string body = desk.body("operation");
  EXPECT_EQ(member(body, "device_total_time"), "null");
  EXPECT_EQ(member(member(body, "host_total_time"), "rows"), R"([["a", 10], ["b", 9]])");
  EXPECT_EQ(member(member(body, "host_self_time"), "rows"), R"([["b", 9], ["a", 1]])");
}

TEST(OperationTest, rows_by_shape_carry_the_name_only_in_charts_and_the_shape_in_tables) {
  const ViewDesk desk =
      desk_of(TraceLines().op("a", 0, 10, R"("Input Dims":[[2,3]])").op("a", 20, 5));
  const Parameters by_shape{{"group_by", "OperationAndInputShape"}};
  EXPECT_EQ(member(member(desk.body("operation", by_shape), "host_total_time"), "rows"),
            R"([["a", 10], ["a", 5]])");
  EXPECT_EQ(member(desk.body("operation/table", by_shape), "data"),
            R"([{"name": "a", "input_shape": "[[2, 3]]", "calls": 1, "host_self_duration": 10, )"
            R"("host_total_duration": 10, "tc_eligible": "No", "tc_self_ratio": 0, )"
            R"("tc_total_ratio": 0, "has_call_stack": false}, {"name": "a", "input_shape": "[]", )"
            R"("calls": 1, "host_self_duration": 5, "host_total_duration": 5, )"
            R"("tc_eligible": "No", "tc_self_ratio": 0, "tc_total_ratio": 0, )"
            R"("has_call_stack": false}])");
}

TEST(OperationTest, with_a_device_tables_go_by_device_time) {
  const std::string body =
      desk_of(TraceLines().op("host only", 0, 100).launch("aten::mm", 200, 10, "h884", 300, 8))
          .body("operation/table");
  EXPECT_EQ(member(body, "sort"), R"("device_self_duration")");
  EXPECT_THAT(member(body, "data"),
              ::testing::StartsWith(R"([{"name": "aten::mm", "calls": 1, )"
                                    R"("device_self_duration": 8, "device_total_duration": 8, )"
                                    R"("host_self_duration": 9, "host_total_duration": 10, )"
                                    R"("tc_eligible": "Yes", "tc_self_ratio": 100.0, )"));
}

TEST(OperationTest, equal_rows_keep_their_order) {
  EXPECT_EQ(member(member(desk_of(TraceLines().op("b", 0, 5).op("a", 10, 5)).body("operation"),
                          "host_total_time"),
                   "rows"),
            R"([["b", 5], ["a", 5]])");
}

TEST(OperationTest, stacks_are_those_of_the_operator_asked_for) {
  const ViewDesk desk = desk_of(TraceLines()
                                    .op("a", 0, 10, R"("Call stack":"x.py:1")")
                                    .op("a", 20, 5, R"("Call stack":"y.py:2","Input Dims":[[1]])")
                                    .op("b", 30, 5));
  const std::string body = desk.body("operation/stack", {{"op_name", "a"}});
  EXPECT_THAT(body, HasSubstr(R"("call_stack": "x.py:1"})"));
  EXPECT_THAT(body, HasSubstr(R"("call_stack": "y.py:2"})"));
  const std::string by_shape = desk.body(
      "operation/stack",
      {{"op_name", "a"}, {"group_by", "OperationAndInputShape"}, {"input_shape", "[[1]]"}});
  EXPECT_THAT(by_shape, ::testing::Not(HasSubstr("x.py")));
  EXPECT_THAT(by_shape, HasSubstr("y.py"));
  EXPECT_EQ(desk.ask("operation/stack", {{"op_name", "b"}}).status, 404);
  EXPECT_THAT(desk.body("operation/table"), HasSubstr(R"("has_call_stack": true)"));
}

}  // namespace
}  // namespace strobe::tensorboard
