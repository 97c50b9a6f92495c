#include <cmath>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/bench/measure/stop_rule.h"

namespace strobe::bench {
namespace {

// Uniform over middle +- half, in an order without correlation (steps of the golden section).
std::vector<double> even(std::size_t n, double middle, double half) {
  constexpr double kGolden = 0.6180339887498949;
  std::vector<double> samples;
  for (std::size_t i = 0; i < n; ++i) {
    const double share = std::fmod(static_cast<double>(i + 1) * kGolden, 1.0);
    samples.push_back(middle + half * (2 * share - 1));
  }
  return samples;
}

TEST(StopRule, a_constant_stream_needs_the_least_samples_and_the_least_time) {
  const StopRule rule;
  EXPECT_FALSE(is_enough(std::vector<double>(19, 2000), rule));
  EXPECT_TRUE(is_enough(std::vector<double>(20, 2000), rule));
  EXPECT_FALSE(is_enough(std::vector<double>(199, 100), rule));  // 19.9 ms
  EXPECT_TRUE(is_enough(std::vector<double>(200, 100), rule));
}

TEST(StopRule, calls_too_short_to_fill_the_time_end_at_the_most_samples) {
  // 2000 calls of 3 us are 6 ms; no count of them up to the cap reaches 20 ms.
  EXPECT_FALSE(is_enough(std::vector<double>(1999, 3), StopRule{}));
  EXPECT_TRUE(is_enough(std::vector<double>(2000, 3), StopRule{}));
}

TEST(StopRule, the_median_is_known_to_half_a_percent_when_the_law_says_so) {
  // Even over 95 to 105 around 100: the value of rank r of n is 95 + 10 r / n, and rank n/2 -
  // 0.98 sqrt(n) lies 9.8 / sqrt(n) below the median. That is 0.5 at n = 384.
  const StopRule rule = at_the_cap({});
  EXPECT_FALSE(is_enough(even(330, 100, 5), rule));
  EXPECT_TRUE(is_enough(even(440, 100, 5), rule));
}

TEST(StopRule, it_aims_at_less_than_it_accepts_at_the_cap) {
  // As above 0.3 at n = 1067.
  const StopRule rule;
  EXPECT_FALSE(is_enough(even(900, 100, 5), rule));
  EXPECT_TRUE(is_enough(even(1200, 100, 5), rule));
  EXPECT_TRUE(is_precise(even(900, 100, 5), at_the_cap(rule)));
}

TEST(StopRule, a_drift_is_never_known_well_however_dense_its_samples) {
  std::vector<double> rising;
  for (int i = 0; i < 2000; ++i) rising.push_back(100 + 0.005 * i);
  EXPECT_FALSE(is_precise(rising, StopRule{}));
}

TEST(StopRule, two_modes_of_equal_weight_have_no_median_to_quote) {
  std::vector<double> bimodal;
  for (const double share : even(2000, 0.5, 0.5)) bimodal.push_back(share < 0.5 ? 100 : 120);
  EXPECT_FALSE(is_precise(bimodal, StopRule{}));
  // With four to one, the median is clear.
  for (std::size_t i = 0; i < bimodal.size(); ++i) bimodal[i] = i % 5 ? 100 : 120;
  EXPECT_TRUE(is_precise(bimodal, StopRule{}));
}

TEST(StopRule, a_mode_that_leads_by_chance_is_not_believed) {
  // 545 of 1000 samples at 100, the others at 120: the 95 % interval (ranks 469 to 532) is within
  // the first mode, but one test in twenty is so by chance, and a cell is tested many times. The
  // 99.9 % interval (ranks 448 to 553) contains the second mode.
  std::vector<double> bimodal;
  for (const double share : even(1000, 0.5, 0.5)) bimodal.push_back(share < 0.545 ? 100 : 120);
  EXPECT_FALSE(is_precise(bimodal, StopRule{}));
}

TEST(StopRule, five_samples_and_a_time_of_zero_are_never_precise) {
  EXPECT_FALSE(is_precise(std::vector<double>(5, 100), StopRule{}));
  EXPECT_TRUE(is_precise(std::vector<double>(6, 100), StopRule{}));
  EXPECT_FALSE(is_precise(std::vector<double>(100, 0), StopRule{}));
  EXPECT_FALSE(is_precise({}, StopRule{}));
}

TEST(StopRule, noise_asks_for_the_deviation_of_one_sample) {
  // Even over middle +- half: deviation half / sqrt(3), 2.89 % of the mean at 5 %.
  const auto rule = parse_stop_rule("noise:3%");
  ASSERT_TRUE(rule);
  EXPECT_TRUE(is_enough(even(400, 100, 5), *rule));
  EXPECT_FALSE(is_enough(even(400, 100, 6), *rule));
}

TEST(StopRule, entropy_ends_when_more_samples_tell_nothing_new) {
  const auto rule = parse_stop_rule("entropy");
  ASSERT_TRUE(rule);
  EXPECT_NEAR(entropy_rise(std::vector<double>(100, 50)), 0, 1e-12);
  EXPECT_TRUE(is_enough(std::vector<double>(400, 100), *rule));
  EXPECT_TRUE(is_enough(even(1500, 100, 1), *rule));
  // A drift brings new classes forever: one to two percent per hundred samples.
  std::vector<double> rising;
  for (int i = 0; i < 400; ++i) rising.push_back(100 + 0.2 * i);
  EXPECT_GT(entropy_rise(rising), 0.5);
  EXPECT_FALSE(is_enough(rising, *rule));
}

TEST(StopRule, a_doubling_of_classes_adds_one_bit) {
  // After n samples of a steady climb all classes are different: entropy log2(n). Its line over the
  // second half rises by about 1 bit, since n doubles there.
  std::vector<double> climb;
  for (int i = 0; i < 256; ++i) climb.push_back(1000 + 20 * i);
  EXPECT_NEAR(entropy_rise(climb), 1, 0.05);
}

TEST(StopRule, the_caps_end_a_cell_by_count_or_by_time) {
  EXPECT_FALSE(is_at_cap(1999, 999, StopRule{}));
  EXPECT_TRUE(is_at_cap(2000, 5, StopRule{}));
  EXPECT_TRUE(is_at_cap(7, 1000, StopRule{}));
}

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
