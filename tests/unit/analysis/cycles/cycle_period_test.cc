#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/analysis/cycles/cycle_methods.h"

namespace strobe::analysis {
namespace {

using Sequence = std::vector<std::uint32_t>;

constexpr std::size_t kFunctions = 40;

void append(Sequence& to, const Sequence& more) { to.insert(to.end(), more.begin(), more.end()); }

// Six functions that run once, then 30 layers of nine functions, then four that run once: 280.
Sequence layered_cycle(std::size_t layers = 30) {
  Sequence cycle = {0, 1, 2, 3, 4, 5};
  for (std::size_t layer = 0; layer < layers; ++layer) {
    append(cycle, {10, 11, 12, 13, 11, 14, 10, 15, 16});
  }
  append(cycle, {20, 21, 22, 23});
  return cycle;
}

TEST(CyclePeriodTest, of_equal_matches_the_shortest_is_the_period) {
  Sequence sequence;
  for (int i = 0; i < 12; ++i) append(sequence, layered_cycle());
  const SequencePeriods periods = find_periods(sequence, kFunctions);
  ASSERT_TRUE(periods.cycle);
  EXPECT_EQ(periods.cycle->kernels, 280u);
  EXPECT_EQ(periods.cycle->match, 1);
}

TEST(CyclePeriodTest, a_period_that_misses_functions_is_the_inner_one) {
  Sequence sequence;
  for (int i = 0; i < 12; ++i) append(sequence, layered_cycle());
  const SequencePeriods periods = find_periods(sequence, kFunctions);
  ASSERT_TRUE(periods.inner);
  EXPECT_EQ(periods.inner->kernels, 9u);
  // Of 280 elements 10 are no layer's, and each of these 10 breaks a pair; so does the last layer.
  EXPECT_GT(periods.inner->match, 0.9);
  EXPECT_LT(periods.inner->match, 1);
}

TEST(CyclePeriodTest, an_inner_period_that_matches_better_is_still_not_the_cycle) {
  // Some cycles lack their beginning or end, which shifts all that follows.
  Sequence sequence;
  for (int i = 0; i < 12; ++i) {
    const Sequence cycle = layered_cycle();
    append(sequence, i == 4 ? Sequence(cycle.begin() + 6, cycle.end()) : cycle);
  }
  const SequencePeriods periods = find_periods(sequence, kFunctions);
  ASSERT_TRUE(periods.cycle);
  ASSERT_TRUE(periods.inner);
  EXPECT_EQ(periods.cycle->kernels, 280u);
  EXPECT_EQ(periods.inner->kernels, 9u);
  EXPECT_GT(periods.inner->match, periods.cycle->match);
}

TEST(CyclePeriodTest, a_beginning_in_the_middle_of_a_cycle_does_no_harm) {
  const Sequence cycle = layered_cycle();
  Sequence sequence(cycle.begin() + 133, cycle.end());
  for (int i = 0; i < 6; ++i) append(sequence, cycle);
  const SequencePeriods periods = find_periods(sequence, kFunctions);
  ASSERT_TRUE(periods.cycle);
  EXPECT_EQ(periods.cycle->kernels, 280u);
}

TEST(CyclePeriodTest, cycles_of_ever_other_length_have_no_period) {
  Sequence sequence;
  for (std::size_t i = 0; i < 12; ++i) append(sequence, layered_cycle(10 + 7 * i * i % 23));
  EXPECT_FALSE(find_periods(sequence, kFunctions).cycle);
}

TEST(CyclePeriodTest, disorder_has_no_period) {
  Sequence sequence;
  std::uint32_t state = 7;
  for (int i = 0; i < 3000; ++i) {
    state = state * 1664525u + 1013904223u;
    sequence.push_back((state >> 16) % kFunctions);
  }
  const SequencePeriods periods = find_periods(sequence, kFunctions);
  EXPECT_FALSE(periods.cycle);
  EXPECT_FALSE(periods.inner);
}

TEST(CyclePeriodTest, one_function_over_and_over_repeats_at_once) {
  const SequencePeriods periods = find_periods(Sequence(1000, 0), 1);
  ASSERT_TRUE(periods.cycle);
  EXPECT_EQ(periods.cycle->kernels, 1u);
}

TEST(CyclePeriodTest, three_turns_are_too_few_and_so_is_nothing) {
  Sequence sequence;
  for (int i = 0; i < 3; ++i) append(sequence, layered_cycle());
  EXPECT_FALSE(find_periods(Sequence(sequence.begin(), sequence.end() - 1), kFunctions).cycle);
  EXPECT_FALSE(find_periods({}, 0).cycle);
  EXPECT_FALSE(find_periods(Sequence{0, 1, 0}, 2).cycle);
}

}  // namespace
}  // namespace strobe::analysis
