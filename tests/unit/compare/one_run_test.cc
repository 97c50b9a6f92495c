#include "strobe/compare/one_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/rank_sketch.h"

namespace strobe::compare {
namespace {

using ::testing::ElementsAre;

TEST(HalvesTest, a_part_of_a_measure_keeps_every_column_in_step) {
  const strobe::Run run = ranked_run("run", {{1, 2, 3, 4, 5}}, 10);
  const auto whole = measure(run.ranks[0]);
  ASSERT_TRUE(whole) << whole.error().what;
  const RankMeasure part = cycles_between(*whole, 1, 4);
  ASSERT_EQ(part.cycles.cycles.size(), 3u);
  EXPECT_EQ(part.cycles.cycles[0].name, "ProfilerStep#1");
  for (const FunctionCycles& function : part.functions) {
    ASSERT_EQ(function.calls.size(), 3u);
    if (function.key.name == "gemm") {
      EXPECT_THAT(function.time_ns, ElementsAre(2'000'000, 3'000'000, 4'000'000));
    }
  }
  for (const IdleCycles& idle : part.idle) EXPECT_EQ(idle.idle_ns.size(), 3u);
  ASSERT_EQ(part.launches.size(), 1u);
  EXPECT_EQ(part.launches[0].median_delay_ns.size(), 3u);
  for (const DeviceCycles& device : part.devices) {
    EXPECT_EQ(device.busy_ns.size(), 3u);
    EXPECT_EQ(device.is_partial.size(), 3u);
  }
}

TEST(HalvesTest, a_part_keeps_the_samples_of_its_cycles) {
  RankMeasure whole;
  whole.cycles.cycles.resize(4);
  SeriesCycles& series = whole.series.emplace_back();
  series.mean = series.busy_mean = {1, 2, 3, 4};
  series.sample_of = {0, 0, 1, 2};
  const RankMeasure part = cycles_between(whole, 1, 4);
  EXPECT_THAT(part.series[0].mean, ElementsAre(2, 3, 4));
  EXPECT_THAT(part.series[0].sample_of, ElementsAre(0, 1, 2));
}

TEST(HalvesTest, a_run_that_slows_down_on_its_way_differs_from_itself) {
  const strobe::Run run = ranked_run("run", {{2, 2.1, 2, 1.9, 2, 2.1, 4, 4.1, 4, 3.9, 4, 4.1}}, 10);
  const auto comparison = compare_halves(run);
  ASSERT_TRUE(comparison) << comparison.error().what;
  EXPECT_EQ(comparison->normal.label, "run, first half");
  EXPECT_EQ(comparison->cycles[0].ms_normal.size(), 6u);
  EXPECT_EQ(comparison->answer, Answer::kShifted);  // the cycle is as long as before
}

TEST(HalvesTest, a_steady_run_does_not) {
  const strobe::Run run = ranked_run("run", {{2, 2.1, 2, 1.9, 2, 2.1, 2, 2.1, 2, 1.9, 2, 2.1}}, 10);
  const auto comparison = compare_halves(run);
  ASSERT_TRUE(comparison) << comparison.error().what;
  EXPECT_EQ(comparison->answer, Answer::kNoChange);
}

TEST(HalvesTest, four_cycles_are_too_few_for_two_halves) {
  const auto comparison = compare_halves(ranked_run("run", {{2, 2, 4, 4}}, 10));
  ASSERT_TRUE(comparison) << comparison.error().what;
  EXPECT_EQ(comparison->answer, Answer::kCannotTell);
}

Stragglers among(const std::vector<std::vector<double>>& own_ms) {
  auto found = find_stragglers(ranked_run("job", own_ms, 10));
  EXPECT_TRUE(found) << found.error().what;
  return std::move(found).value();
}

TEST(StragglersTest, a_slow_rank_is_found_beside_one_that_is_farther_away_by_a_single_cycle) {
  const std::vector<double> usual = {2, 2, 2, 2, 8, 8};
  const std::vector<double> odd_once = {2, 2, 2, 3.6, 8, 8};  // its median is 2.8
  const std::vector<double> slow = {2.2, 2.2, 2.2, 2.2, 8.8, 8.8};
  const Stragglers found = among({usual, usual, usual, usual, odd_once, slow});
  EXPECT_GT(found.ranks[4].distance, found.ranks[5].distance);
  EXPECT_FALSE(found.ranks[4].is_slow);
  EXPECT_TRUE(found.ranks[5].is_slow);
  EXPECT_EQ(found.slowest, 5);
}

TEST(StragglersTest, one_selected_rank_is_still_compared_with_all_others) {
  const auto found = find_stragglers(ranked_run("job", {kUsual, kUsual, kSlow}, 10),
                                     {.measure = {}, .order = {}, .only_rank = 1});
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_EQ(found->ranks.size(), 3u);
  EXPECT_EQ(found->slowest, 2);
}

TEST(StragglersTest, the_rank_that_works_while_the_others_wait_is_named) {
  const Stragglers found = among({kUsual, kUsual, kSlow, kUsual});
  ASSERT_EQ(found.slowest, 2);
  const RankRow& slow = found.ranks[2];
  EXPECT_TRUE(slow.is_slow);
  EXPECT_NEAR(slow.own_ms, 9, 1e-6);
  EXPECT_NEAR(slow.waiting_ms, 1, 1e-6);
  EXPECT_NEAR(slow.versus_best, 1.5, 1e-6);
  // Its peers are equal, so 1 % of their 6 ms is the deviation: 3 ms are 50 of them.
  EXPECT_NEAR(slow.distance, 50, 1e-4);
  EXPECT_EQ(slow.cycles_late, 6u);
  EXPECT_FALSE(found.ranks[0].is_slow);
}

TEST(StragglersTest, the_slowest_is_compared_with_a_typical_rank) {
  const Stragglers found = among({kUsual, kUsual, kSlow});
  ASSERT_TRUE(found.against_peer);
  EXPECT_EQ(found.against_peer->abnormal.label, "rank 2");
  EXPECT_EQ(found.against_peer->normal.label, "rank 0");
  const FunctionRow* gemm = nullptr;
  for (const FunctionRow& row : found.against_peer->functions) {
    if (row.key.name == "gemm") gemm = &row;
  }
  ASSERT_NE(gemm, nullptr);
  EXPECT_EQ(gemm->verdict, Verdict::kChanged);
  EXPECT_NEAR(gemm->call_slowdown(), 1.5, 0.01);
}

TEST(StragglersTest, equal_ranks_have_no_straggler) {
  const Stragglers found = among({kUsual, kUsual, kUsual});
  EXPECT_FALSE(found.slowest);
  EXPECT_FALSE(found.against_peer);
}

TEST(StragglersTest, two_late_cycles_are_an_accident) {
  const Stragglers found = among({kUsual, kUsual, {6.0, 9.5, 9.5, 6.0, 6.1, 6.0}});
  EXPECT_FALSE(found.slowest);
}

TEST(StragglersTest, of_two_ranks_the_slower_one_is_named_from_five_percent_on) {
  EXPECT_EQ(among({kUsual, kSlow}).slowest, 1);
  EXPECT_FALSE(among({std::vector<double>(6, 6.0), std::vector<double>(6, 6.2)}).slowest);
}

TEST(StragglersTest, one_cycle_is_too_few_to_call_a_rank_slow_or_not) {
  const Stragglers found = among({{6.0}, {6.1}, {9.0}});
  EXPECT_TRUE(found.has_too_few_cycles());
  EXPECT_EQ(found.answer(), RankAnswer::kCannotTell);
  EXPECT_EQ(word_of(found.answer()), "cannot_tell");
  EXPECT_GT(found.ranks[2].distance, 5);
  EXPECT_FALSE(found.slowest);
}

TEST(StragglersTest, three_cycles_are_enough_and_equal_ranks_are_no_guess) {
  const Stragglers found = among({{6.0, 6.0, 6.1}, {6.1, 6.0, 6.0}, {6.0, 6.1, 6.0}});
  EXPECT_FALSE(found.has_too_few_cycles());
  EXPECT_EQ(found.answer(), RankAnswer::kNoSlowRank);
  EXPECT_EQ(among({kUsual, kUsual, kSlow}).answer(), RankAnswer::kSlowRank);
}

// One cycle of 100 ms with twelve collectives that begin every 8 ms; `late_ms` later on this rank.
RankCapture rank_of_many_collectives(std::int32_t rank, double late_ms) {
  constexpr std::int64_t kMs = 1'000'000;
  Sketch sketch;
  sketch.thread(1).slice("ProfilerStep#1", SliceKind::kStep, 0, 100 * kMs);
  for (std::int64_t i = 0; i < 12; ++i) {
    const auto start_ns = (8 * i + 2) * kMs + static_cast<std::int64_t>(late_ms * kMs);
    sketch.stream(rank, 7)
        .slice("all_reduce", SliceKind::kKernel, start_ns, (8 * i + 7) * kMs - start_ns)
        .flags(kCommunicates);
  }
  return {.rank = rank,
          .path = "trace.json",
          .trace = std::make_shared<const Trace>(sketch.trace()),
          .import = {},
          .metrics = {},
          .metric_remarks = {}};
}

TEST(StragglersTest, who_comes_last_to_the_collectives_is_told_from_one_cycle) {
  strobe::Run run = {.label = "job", .folder = "job", .ranks = {}};
  for (const auto& [rank, late_ms] : {std::pair(0, 0.0), std::pair(1, 0.1), std::pair(4, 3.0)}) {
    run.ranks.push_back(rank_of_many_collectives(rank, late_ms));
  }
  const auto found = find_stragglers(run);
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_EQ(found->collectives, 12u);
  ASSERT_THAT(found->late, ElementsAre(2u));
  const RankRow& late = found->ranks[2];
  EXPECT_EQ(late.rank, 4);
  EXPECT_TRUE(late.is_late);
  EXPECT_EQ(late.times_last, 12u);
  // From the median arrival of the others, 0.05 ms, to 3 ms, twelve times.
  EXPECT_NEAR(late.others_waited_ms, 12 * 2.95, 1e-6);
  EXPECT_NEAR(late.longest_wait_ms, 2.95, 1e-6);
  EXPECT_FALSE(found->ranks[0].is_late);
  EXPECT_TRUE(found->has_too_few_cycles());
  EXPECT_EQ(found->answer(), RankAnswer::kSlowRank);
}

TEST(StragglersTest, the_rank_that_the_others_wait_for_on_the_host_is_named) {
  const auto found =
      find_stragglers(host_ranked_run("job", {kUsual, kUsual, kUsual, kSlow, kUsual}, 10));
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_EQ(found->slowest, 3);
  EXPECT_NEAR(found->ranks[3].waiting_ms, 1, 1e-6);
  EXPECT_NEAR(found->ranks[3].peers_waiting_ms, 4, 1e-6);
  EXPECT_EQ(found->collectives, 6u);
  ASSERT_TRUE(found->against_peer);
  EXPECT_EQ(found->against_peer->abnormal.label, "rank 3");
  // Its own time is compared, for the cycles are equal.
  EXPECT_NEAR(found->against_peer->cycles[0].ms.abnormal_median, 9, 1e-6);
  EXPECT_NEAR(found->against_peer->cycles[0].ms.normal_median, 6, 1e-6);
  EXPECT_EQ(found->against_peer->answer, Answer::kSlower);
}

TEST(StragglersTest, a_rank_without_recorded_collectives_is_told_and_not_named) {
  strobe::Run run = host_ranked_run("job", {kUsual, kUsual, kUsual}, 10);
  Sketch sketch;
  for (std::int64_t i = 0; i < 6; ++i) {
    sketch.thread(1).slice("ProfilerStep#" + std::to_string(i), SliceKind::kStep, i * 10'000'000,
                           10'000'000);
  }
  run.ranks[1].trace = std::make_shared<const Trace>(sketch.trace());
  const auto found = find_stragglers(run);
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_FALSE(found->slowest);
  EXPECT_FALSE(found->ranks[1].is_comparable);
  EXPECT_THAT(found->quality,
              ::testing::Contains(::testing::HasSubstr("rank 1: other ranks have")));
}

TEST(StragglersTest, one_rank_has_no_peers) {
  const auto found = find_stragglers(ranked_run("job", {kUsual}, 10));
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::kTooLittleData);
  EXPECT_THAT(found.error().hint, ::testing::HasSubstr("--halves"));
}

}  // namespace

}  // namespace strobe::compare
