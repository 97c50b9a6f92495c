#include <gtest/gtest.h>

#include "strobe/compare/comparison.h"
#include "tests/support/side_sketch.h"

namespace strobe::compare {
namespace {

SideFacts side_with_idle(const std::string& label, const std::vector<std::int64_t>& copy_ns,
                         const std::vector<double>& delay_ns) {
  SideSketch sketch(label, std::vector<double>(copy_ns.size(), 10.0));
  sketch.device("GPU 0").function("gemm", std::vector<double>(copy_ns.size(), 2.0));
  const IdleCause copying = {analysis::IdleKind::kRuntimeCall, "cudaMemcpy", "aten::copy_"};
  sketch.measure().idle = {{copying, copy_ns}};
  sketch.measure().launches = {{"GPU 0", delay_ns, std::vector<double>(copy_ns.size(), 0.5)}};
  return sketch.side();
}

constexpr std::int64_t kMs = 1'000'000;

TEST(CompareIdleTest, idle_causes_and_launch_delays_are_tested_per_cycle) {
  const auto comparison =
      compare_measures(side_with_idle("normal", {kMs, kMs, 2 * kMs, kMs}, {5000, 6000, 5000, 6000}),
                       side_with_idle("abnormal", {6 * kMs, 7 * kMs, 6 * kMs, 7 * kMs},
                                      {15000, 16000, 15000, 16000}),
                       {}, {});
  ASSERT_TRUE(comparison) << comparison.error().what;
  ASSERT_EQ(comparison->idle.size(), 1u);
  const IdleCauseRow& row = comparison->idle[0];
  EXPECT_EQ(row.cause.name, "cudaMemcpy");
  EXPECT_NEAR(row.ms.normal.mean, 1.25, 1e-9);
  EXPECT_NEAR(row.ms.abnormal.mean, 6.5, 1e-9);
  EXPECT_LT(row.ms.q, 0.05);
  ASSERT_EQ(comparison->launches.size(), 1u);
  EXPECT_NEAR(comparison->launches[0].delay_us.difference(), 10, 1e-9);
  EXPECT_NEAR(comparison->launches[0].queue.difference(), 0, 1e-9);
}

TEST(CompareIdleTest, a_cause_that_one_run_lacks_is_zero_there_and_tiny_ones_are_left_out) {
  SideFacts normal = side_with_idle("normal", std::vector<std::int64_t>(4, kMs / 100),
                                    std::vector<double>(4, 5000));
  SideFacts abnormal = normal;
  const IdleCause loading = {analysis::IdleKind::kDataLoading, "load", ""};
  abnormal.ranks[0].idle.push_back({loading, {3 * kMs, 3 * kMs, 3 * kMs, 4 * kMs}});
  const auto comparison = compare_measures(std::move(normal), std::move(abnormal), {}, {});
  ASSERT_TRUE(comparison) << comparison.error().what;
  ASSERT_EQ(comparison->idle.size(), 1u) << "a thousandth of the cycle does not matter";
  EXPECT_EQ(comparison->idle[0].cause, loading);
  EXPECT_EQ(comparison->idle[0].ms.normal.n, 4u);
  EXPECT_EQ(comparison->idle[0].ms.normal.mean, 0);
}

// One long cycle moves a mean, but not the shift, which a report shows.
TEST(CompareIdleTest, the_largest_shift_comes_first) {
  SideFacts normal =
      side_with_idle("normal", std::vector<std::int64_t>(5, kMs), std::vector<double>(5, 5000));
  SideFacts abnormal = normal;
  abnormal.ranks[0].idle[0].idle_ns = {kMs, kMs, kMs, kMs, 100 * kMs};
  const IdleCause loading = {analysis::IdleKind::kDataLoading, "load", ""};
  normal.ranks[0].idle.push_back({loading, std::vector<std::int64_t>(5, kMs)});
  abnormal.ranks[0].idle.push_back({loading, std::vector<std::int64_t>(5, 4 * kMs)});
  const auto comparison = compare_measures(std::move(normal), std::move(abnormal), {}, {});
  ASSERT_TRUE(comparison) << comparison.error().what;
  ASSERT_EQ(comparison->idle.size(), 2u);
  EXPECT_EQ(comparison->idle[0].cause, loading);
  EXPECT_GT(comparison->idle[1].ms.difference(), comparison->idle[0].ms.difference());
}

TEST(CompareIdleTest, cycles_that_a_device_cut_short_do_not_count) {
  SideFacts normal =
      side_with_idle("normal", {kMs, kMs, kMs, kMs, 9 * kMs}, std::vector<double>(5, 5000));
  normal.ranks[0].devices.back().is_partial[4] = true;
  const auto comparison = compare_measures(
      std::move(normal), side_with_idle("abnormal", {kMs, kMs, kMs, kMs}, {5, 5, 5, 5}), {}, {});
  ASSERT_TRUE(comparison) << comparison.error().what;
  EXPECT_EQ(comparison->idle[0].ms.normal.n, 4u);
  EXPECT_NEAR(comparison->idle[0].ms.normal.mean, 1, 1e-9);
}

}  // namespace
}  // namespace strobe::compare
