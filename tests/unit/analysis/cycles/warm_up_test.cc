#include "strobe/analysis/cycles/warm_up.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace strobe::analysis {
namespace {

std::vector<std::int64_t> first_and_then(std::vector<std::int64_t> lengths, std::size_t more) {
  // 1,000 with a spread of 2 %.
  for (std::size_t i = 0; i < more; ++i) {
    lengths.push_back(980 + 10 * static_cast<std::int64_t>(i % 5));
  }
  return lengths;
}

TEST(WarmUpTest, a_long_first_cycle_is_warm_up) {
  EXPECT_EQ(count_warm_up_cycles(first_and_then({50'000}, 20)), 1u);
}

TEST(WarmUpTest, all_long_cycles_at_the_start_are) {
  EXPECT_EQ(count_warm_up_cycles(first_and_then({50'000, 1'800, 1'600}, 20)), 3u);
}

TEST(WarmUpTest, a_usual_cycle_between_two_long_ones_belongs_to_it) {
  EXPECT_EQ(count_warm_up_cycles(first_and_then({50'000, 1'000, 8'000}, 20)), 3u);
}

TEST(WarmUpTest, cycles_that_are_alike_have_none) {
  EXPECT_EQ(count_warm_up_cycles(first_and_then({}, 20)), 0u);
  EXPECT_EQ(count_warm_up_cycles(std::vector<std::int64_t>(20, 1'000)), 0u);
  EXPECT_EQ(count_warm_up_cycles({}), 0u);
}

TEST(WarmUpTest, less_than_half_longer_is_not_far) {
  EXPECT_EQ(count_warm_up_cycles(first_and_then({1'490}, 20)), 0u);
  EXPECT_EQ(count_warm_up_cycles(first_and_then({1'550}, 20)), 1u);
}

TEST(WarmUpTest, a_long_cycle_in_the_middle_is_a_stall) {
  std::vector<std::int64_t> lengths = first_and_then({}, 30);
  lengths[5] = 50'000;
  EXPECT_EQ(count_warm_up_cycles(lengths), 0u);
  lengths[0] = 50'000;
  EXPECT_EQ(count_warm_up_cycles(lengths), 1u);
  lengths = first_and_then({1'000, 50'000}, 30);
  EXPECT_EQ(count_warm_up_cycles(lengths), 0u) << "it starts with the first cycle";
}

TEST(WarmUpTest, a_long_first_cycle_is_none_if_a_later_one_is_about_as_long) {
  std::vector<std::int64_t> lengths = first_and_then({2'080}, 15);
  lengths[12] = 2'030;
  EXPECT_EQ(count_warm_up_cycles(lengths), 0u);
}

TEST(WarmUpTest, one_stall_among_many_later_cycles_hides_no_warm_up) {
  std::vector<std::int64_t> lengths = first_and_then({4'000}, 200);
  lengths[150] = 90'000;
  EXPECT_EQ(count_warm_up_cycles(lengths), 1u);
}

// A serving loop: every tenth cycle is long, the first one too.
TEST(WarmUpTest, a_kind_of_cycle_that_comes_again_is_not_warm_up) {
  std::vector<std::int64_t> lengths = first_and_then({}, 100);
  for (std::size_t i = 0; i < lengths.size(); i += 10) lengths[i] = 12'000;
  EXPECT_EQ(count_warm_up_cycles(lengths), 0u);
  lengths[0] = 90'000;
  EXPECT_EQ(count_warm_up_cycles(lengths), 1u);
}

TEST(WarmUpTest, cycles_that_vary_widely_need_more) {
  std::vector<std::int64_t> lengths = {3'000};
  for (int i = 0; i < 20; ++i) lengths.push_back(500 + 100 * (i * 7 % 20));
  EXPECT_EQ(count_warm_up_cycles(lengths), 0u);
}

TEST(WarmUpTest, a_loop_that_slows_down_or_speeds_up_evenly_has_none) {
  std::vector<std::int64_t> faster;
  for (int i = 0; i < 30; ++i) faster.push_back(4'000 - 100 * i);
  EXPECT_EQ(count_warm_up_cycles(faster), 0u);
  EXPECT_EQ(count_warm_up_cycles(std::vector<std::int64_t>(faster.rbegin(), faster.rend())), 0u);
}

TEST(WarmUpTest, four_steady_cycles_must_remain) {
  EXPECT_EQ(count_warm_up_cycles(first_and_then({50'000}, 3)), 0u);
  EXPECT_EQ(count_warm_up_cycles(first_and_then({50'000}, 4)), 1u);
}

TEST(WarmUpTest, at_most_a_third_is_warm_up) {
  EXPECT_EQ(count_warm_up_cycles(first_and_then({9'000, 9'000, 9'000, 9'000}, 8)), 4u);
  // The fifth long one counts as a usual cycle, and then the others are usual too.
  EXPECT_EQ(count_warm_up_cycles(first_and_then({9'000, 9'000, 9'000, 9'000, 9'000}, 8)), 0u);
}

// Something slowed the program down until it ended, or began: that is no warm-up.
TEST(WarmUpTest, a_long_time_at_another_pace_is_none) {
  std::vector<std::int64_t> lengths = {90'000};
  lengths.resize(40, 4'000);
  EXPECT_EQ(count_warm_up_cycles(first_and_then(lengths, 200)), 1u);
  lengths[0] = 4'000;
  EXPECT_EQ(count_warm_up_cycles(first_and_then(lengths, 200)), 0u);
  EXPECT_EQ(count_warm_up_cycles(first_and_then(std::vector<std::int64_t>(16, 4'000), 200)), 16u);
}

TEST(WarmUpTest, ends_where_the_first_steady_cycle_starts) {
  std::vector<Interval> cycles = {{100, 5'100}};
  for (std::int64_t i = 0; i < 8; ++i) cycles.push_back({5'200 + 100 * i, 5'300 + 100 * i});
  const WarmUp found = find_warm_up(cycles);
  EXPECT_EQ(found.cycles, 1u);
  EXPECT_EQ(found.end_ns, 5'200);
  EXPECT_EQ(find_warm_up({}).cycles, 0u);
}

// A run of 1,000: calls until 400, then the device works half of the time.
struct RunWithoutCycles {
  IntervalSet calls = {{0, 100}, {150, 200}, {390, 400}};
  IntervalSet works = {{120, 125}, {420, 520}, {600, 700}, {800, 900}};

  std::optional<std::int64_t> steady_start() const {
    return find_steady_start_ns({0, 1'000}, calls, works);
  }
};

TEST(SteadyStartTest, is_the_end_of_the_last_call_that_comes_once) {
  EXPECT_EQ(RunWithoutCycles().steady_start(), 400);
}

TEST(SteadyStartTest, a_late_call_of_little_time_belongs_to_the_steady_part) {
  RunWithoutCycles run;
  run.calls.push_back({950, 960});
  EXPECT_EQ(run.steady_start(), 400);
}

TEST(SteadyStartTest, a_device_that_works_meanwhile_has_started) {
  RunWithoutCycles run;
  run.works = {{100, 180}, {210, 380}, {420, 520}, {600, 700}, {800, 900}};
  EXPECT_EQ(run.steady_start(), 100);
}

TEST(SteadyStartTest, calls_that_come_all_the_time_are_no_start) {
  RunWithoutCycles run;
  run.works = {{100, 110}, {200, 210}, {500, 510}, {700, 710}};
  run.calls = {{110, 190}, {220, 480}, {520, 690}, {720, 990}};
  EXPECT_EQ(run.steady_start(), std::nullopt);
}

TEST(SteadyStartTest, a_short_one_or_none_is_not_found) {
  RunWithoutCycles run;
  run.calls = {{0, 90}};
  EXPECT_EQ(run.steady_start(), std::nullopt);
  run.calls = {};
  EXPECT_EQ(run.steady_start(), std::nullopt);
  run = {};
  run.works = {};
  EXPECT_EQ(run.steady_start(), std::nullopt);
}

}  // namespace
}  // namespace strobe::analysis
