#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/bench/judge/run_diff.h"

namespace strobe::bench {
namespace {

RunDiff diff_of(CellVerdict verdict, double low, double high) {
  RunDiff diff;
  CellDiff& cell = diff.cells.emplace_back();
  cell.verdict = verdict;
  cell.ratio = (low + high) / 2;
  cell.ratio_ci95 = {low, high};
  return diff;
}

TEST(SpeedGate, what_is_typed_is_understood) {
  const auto gate = parse_speed_gate("slower:3%");
  ASSERT_TRUE(gate);
  EXPECT_EQ(gate->verdict, CellVerdict::kSlower);
  EXPECT_DOUBLE_EQ(gate->by, 0.03);
  EXPECT_EQ(parse_speed_gate("slower")->by, 0);
  EXPECT_EQ(parse_speed_gate("faster:2.5%")->verdict, CellVerdict::kFaster);
  EXPECT_EQ(parse_speed_gate("broken")->verdict, CellVerdict::kNotComparable);
}

TEST(SpeedGate, nonsense_is_a_wrong_command_line_that_shows_the_gates) {
  for (const char* text : {"", "slow", "slower:", "slower:3", "slower:-3%", "slower:nan%",
                           "slower:3%%", "broken:3%", "faster:100%", "slower:x%"}) {
    const auto gate = parse_speed_gate(text);
    ASSERT_FALSE(gate) << text;
    EXPECT_EQ(gate.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(gate.error().hint, ::testing::HasSubstr("slower:3%"));
  }
}

TEST(SpeedGate, the_interval_and_not_the_estimate_must_lie_beyond_it) {
  const SpeedGate gate = *parse_speed_gate("slower:3%");
  EXPECT_EQ(caught(diff_of(CellVerdict::kSlower, 1.031, 1.05), gate).size(), 1u);
  EXPECT_TRUE(caught(diff_of(CellVerdict::kSlower, 1.029, 1.09), gate).empty());
}

TEST(SpeedGate, only_a_verdict_is_caught) {
  const SpeedGate gate = *parse_speed_gate("slower:3%");
  EXPECT_TRUE(caught(diff_of(CellVerdict::kUnclear, 1.05, 1.09), gate).empty());
  EXPECT_TRUE(caught(diff_of(CellVerdict::kFaster, 0.9, 0.92), gate).empty());
  EXPECT_EQ(caught(diff_of(CellVerdict::kFaster, 0.9, 0.92), *parse_speed_gate("faster:7%")).size(),
            1u);
}

TEST(SpeedGate, broken_catches_what_lost_its_time) {
  RunDiff diff = diff_of(CellVerdict::kNotComparable, 1, 1);
  EXPECT_TRUE(caught(diff, *parse_speed_gate("broken")).empty());  // had none before either
  diff.cells[0].is_broken = true;
  EXPECT_EQ(caught(diff, *parse_speed_gate("broken")).size(), 1u);
  EXPECT_TRUE(caught(diff, *parse_speed_gate("slower")).empty());
}

}  // namespace
}  // namespace strobe::bench
