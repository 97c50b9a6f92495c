#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/bench/measure/stop_rule.h"

namespace strobe::bench {
namespace {

TEST(StopRuleText, what_is_typed_is_what_is_said) {
  for (const char* text :
       {"median:0.5%", "median:0.3%/0.5%", "samples:100", "time:200ms", "noise:1%", "entropy"}) {
    const auto rule = parse_stop_rule(text);
    ASSERT_TRUE(rule) << text;
    EXPECT_EQ(stop_rule_text(*rule), text);
  }
  EXPECT_EQ(stop_rule_text(StopRule{}), "median:0.3%/0.5%");
}

TEST(StopRuleText, other_spellings_are_understood) {
  EXPECT_EQ(stop_rule_text(*parse_stop_rule("time:2s")), "time:2000ms");
  EXPECT_EQ(stop_rule_text(*parse_stop_rule("noise:0.02")), "noise:2%");
  EXPECT_EQ(stop_rule_text(*parse_stop_rule("median")), "median:0.3%/0.5%");
  EXPECT_EQ(stop_rule_text(*parse_stop_rule("entropy:0.01")), "entropy:0.01");
}

TEST(StopRuleText, who_names_a_value_gets_it_as_aim_and_as_limit) {
  for (const char* text : {"median:1%", "noise:1%", "entropy:0.01", "samples:7", "time:3ms"}) {
    const auto rule = parse_stop_rule(text);
    ASSERT_TRUE(rule) << text;
    EXPECT_EQ(rule->accepted, rule->value) << text;
  }
  EXPECT_EQ(parse_stop_rule("noise:1%/2%")->accepted, 0.02);
}

TEST(StopRuleText, a_count_and_a_time_know_no_other_limit) {
  const auto count = parse_stop_rule("samples:5000");
  ASSERT_TRUE(count);
  EXPECT_FALSE(is_at_cap(4999, 1e6, *count));
  EXPECT_TRUE(is_enough(std::vector<double>(5000, 1), *count));
  const auto time = parse_stop_rule("time:3s");
  ASSERT_TRUE(time);
  EXPECT_FALSE(is_at_cap(50'000, 2999, *time));
  EXPECT_TRUE(is_enough(std::vector<double>(3, 1e6), *time));
  EXPECT_FALSE(is_enough(std::vector<double>(2, 1e6), *time));
}

TEST(StopRuleText, nonsense_is_a_wrong_command_line_that_shows_the_rules) {
  for (const char* text : {"",
                           "often",
                           "samples",
                           "samples:",
                           "samples:0",
                           "samples:-3",
                           "samples:2.5",
                           "samples:1e99",
                           "samples:10x",
                           "time:200",
                           "time:ms",
                           "time:-1s",
                           "noise:1kg",
                           "noise:200%",
                           "noise:nan",
                           "median:inf",
                           "median:0.5%/0.3%",
                           "median:0.3%/",
                           "median:/1%",
                           "samples:1/2",
                           "entropy:",
                           "entropy:1%"}) {
    const auto rule = parse_stop_rule(text);
    ASSERT_FALSE(rule) << text;
    EXPECT_EQ(rule.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(rule.error().hint, ::testing::HasSubstr("samples:100"));
  }
}

}  // namespace
}  // namespace strobe::bench
