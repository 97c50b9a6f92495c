#include "strobe/compare/compat/compat.h"

#include <gmock/gmock.h>

#include <cmath>

#include "tests/unit/compare/compat/compat_sketch.h"

namespace strobe::compare {
namespace {

using namespace strobe::literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A kernel that takes so many microseconds of each cycle of 100 us, with the clock it sees.
strobe::Run run_of(const std::string& kernel, const std::vector<std::int64_t>& times_us,
                   const std::vector<double>& clocks_mhz) {
  Sketch sketch;
  sketch.stream(0, 1);
  std::vector<std::pair<std::int64_t, double>> samples;
  for (std::size_t i = 0; i < times_us.size(); ++i) {
    const auto start_ns = static_cast<std::int64_t>(i) * 100'000;
    sketch.slice(kernel, SliceKind::kKernel, start_ns + 10'000, times_us[i] * 1000);
    samples.emplace_back(start_ns + 50'000, clocks_mhz[i]);
  }
  strobe::Run run;
  run.folder = "case";
  run.ranks.push_back(capture_of(sketch, {series_of("GPU 0", "gpu_frequency", samples)}));
  return run;
}

CompatComparison compat_of(const strobe::Run& normal, std::int64_t n_normal,
                           const strobe::Run& abnormal, std::int64_t n_abnormal) {
  return compare_compat(normal, cycles_of_100_us(n_normal), abnormal, cycles_of_100_us(n_abnormal));
}

TEST(CompatTest, a_row_has_means_and_scores_in_deviations_of_the_normal_run) {
  // beta: 1, 2, 3 (mean 2, deviation 1) and 5, 7 (mean 6): z 4. The clock halves: its logarithm is
  // taken after scaling by 100.
  const CompatComparison comparison =
      compat_of(run_of("gemm", {1, 2, 3}, {10, 12, 14}), 3, run_of("gemm", {5, 7}, {6, 6}), 2);
  ASSERT_THAT(comparison.rows, SizeIs(1));
  const CompatRow& row = comparison.rows[0];
  EXPECT_EQ(row.function, "gemm");
  EXPECT_EQ(row.metric, "gpu_frequency");
  EXPECT_EQ(row.device, "GPU 0");
  EXPECT_EQ(row.n_normal, 3u);
  EXPECT_EQ(row.n_abnormal, 2u);
  EXPECT_DOUBLE_EQ(row.beta_normal, 2);
  EXPECT_DOUBLE_EQ(row.beta_abnormal, 6);
  EXPECT_DOUBLE_EQ(row.dbeta, 4);
  EXPECT_DOUBLE_EQ(row.z_beta, 4);
  EXPECT_DOUBLE_EQ(row.mu_normal, 1200);
  EXPECT_DOUBLE_EQ(row.dmu, -600);
  EXPECT_DOUBLE_EQ(row.z_mu, -3);
  const double a = std::log(1001), b = std::log(1201), c = std::log(1401);
  const double mean = (a + b + c) / 3;
  const double deviation =
      std::sqrt(((a - mean) * (a - mean) + (b - mean) * (b - mean) + (c - mean) * (c - mean)) / 2);
  EXPECT_NEAR(row.z_log_mu, (std::log(601) - mean) / deviation, 1e-9);
  EXPECT_NEAR(row.suspicion, 4 * (4 + std::abs(row.z_log_mu)), 1e-9);
  // Completely separated, 3 against 2: 2 of C(5, 2) = 10 splits.
  EXPECT_NEAR(row.u_beta, 0.2, 1e-12);
  EXPECT_GT(row.p_beta, 0);
  EXPECT_LT(row.p_beta, 1);
}

TEST(CompatTest, one_value_on_a_side_cannot_be_tested) {
  const CompatRow row =
      compat_of(run_of("gemm", {1, 2}, {10, 12}), 2, run_of("gemm", {5}, {6}), 1).rows.at(0);
  EXPECT_EQ(row.p_beta, 1);
  EXPECT_EQ(row.u_beta, 1);
  EXPECT_EQ(row.p_mu, 1);
  EXPECT_EQ(row.u_mu, 1);
}

TEST(CompatTest, a_function_of_one_run_stands_beside_zeros) {
  const CompatComparison comparison =
      compat_of(run_of("old", {1, 3}, {10, 12}), 2, run_of("new", {5, 7}, {6, 8}), 2);
  ASSERT_THAT(comparison.rows, SizeIs(2));
  const CompatRow& vanished = comparison.rows[0];  // |-2| * (1.414 + ...)
  EXPECT_EQ(vanished.function, "old");
  EXPECT_EQ(vanished.n_abnormal, 0u);
  EXPECT_EQ(vanished.beta_abnormal, 0);
  EXPECT_DOUBLE_EQ(vanished.dbeta, -2);
  EXPECT_EQ(vanished.p_beta, 1);
  const CompatRow& added = comparison.rows[1];  // nothing to measure deviations by
  EXPECT_EQ(added.function, "new");
  EXPECT_EQ(added.n_normal, 0u);
  EXPECT_EQ(added.z_beta, 0);
  EXPECT_EQ(added.suspicion, 0);
}

TEST(CompatTest, a_constant_of_both_runs_has_no_p_and_a_u_of_1) {
  const CompatRow row =
      compat_of(run_of("gemm", {1, 2, 3}, {9, 9, 9}), 3, run_of("gemm", {5, 7}, {9, 9}), 2)
          .rows.at(0);
  EXPECT_TRUE(std::isnan(row.p_mu));
  EXPECT_EQ(row.u_mu, 1);
  EXPECT_EQ(row.z_mu, 0);
  EXPECT_EQ(row.z_log_mu, 0);
}

TEST(CompatTest, equal_suspicion_is_ordered_by_function_metric_and_device) {
  Sketch sketch;
  sketch.stream(0, 1)
      .slice("b", SliceKind::kKernel, 1_us, 1_us)
      .slice("a", SliceKind::kKernel, 1_us, 1_us);
  strobe::Run run;
  run.ranks.push_back(capture_of(sketch, {series_of("GPU 0", "gpu_usage", {{1_us, 1}}),
                                          series_of("GPU 0", "gpu_sm_util", {{1_us, 1}})}));
  const CompatComparison comparison = compat_of(run, 1, run, 1);
  std::vector<std::string> order;
  for (const CompatRow& row : comparison.rows) order.push_back(row.function + " " + row.metric);
  EXPECT_THAT(order, ElementsAre("a gpu_sm_util", "a gpu_usage", "b gpu_sm_util", "b gpu_usage"));
}

TEST(CompatTest, the_sides_carry_the_title_and_all_cycles) {
  const CompatComparison comparison =
      compat_of(run_of("gemm", {1, 3}, {10, 12}), 5, run_of("gemm", {5, 7}, {6, 8}), 2);
  EXPECT_EQ(comparison.normal.folder, "case");
  EXPECT_EQ(comparison.normal.process, "42");
  EXPECT_THAT(comparison.normal.cycles_us, SizeIs(5));
  EXPECT_THAT(comparison.abnormal.cycles_us, ElementsAre(100, 100));
}

TEST(CompatTest, runs_are_cut_at_their_markers) {
  Sketch sketch;
  sketch.thread(42, 42)
      .slice("ProfilerStep#1", SliceKind::kStep, 0, 100_us)
      .slice("ProfilerStep#2", SliceKind::kStep, 100_us, 50_us);
  sketch.stream(0, 1).slice("gemm", SliceKind::kKernel, 110_us, 10_us);
  strobe::Run run;
  run.ranks.push_back(capture_of(sketch, {series_of("GPU 0", "gpu_usage", {{120_us, 1}})}));
  const auto comparison = compare_compat(run, run);
  ASSERT_TRUE(comparison.has_value());
  EXPECT_EQ(comparison.value().normal.process, "42");
  EXPECT_THAT(comparison.value().normal.cycles_us, ElementsAre(100, 50));
  ASSERT_THAT(comparison.value().rows, SizeIs(1));
  EXPECT_EQ(comparison.value().rows[0].beta_normal, 20);
}

CompatRow scored(const std::string& function, const std::string& metric, double suspicion,
                 double dmu) {
  CompatRow row;
  row.function = function;
  row.metric = metric;
  row.device = "GPU 0";
  row.suspicion = suspicion;
  row.dmu = dmu;
  return row;
}

TEST(CompatTest, findings_are_the_first_three_functions_with_their_first_three_moved_metrics) {
  const std::vector<CompatRow> rows = {
      scored("a", "still", 90, 0),     // 0
      scored("a", "m1", 80, 1),        // 1
      scored("b", "m1", 70, 1),        // 2
      scored("a", "m2", 60, -1),       // 3
      scored("c", "still", 50, 1e-7),  // 4
      scored("d", "m1", 40, 1),        // 5: the fourth
      scored("a", "m3", 30, 1),        // 6
      scored("a", "m4", 20, 1),        // 7: the fourth
      scored("c", "m1", 10, 1),        // 8: at the threshold, not above
  };
  const std::vector<CompatFinding> findings = compat_findings(rows);
  ASSERT_THAT(findings, SizeIs(3));
  EXPECT_EQ(findings[0].row, 0u);
  EXPECT_THAT(findings[0].metric_rows, ElementsAre(1, 3, 6));
  EXPECT_EQ(findings[1].row, 2u);
  EXPECT_THAT(findings[1].metric_rows, ElementsAre(2));
  EXPECT_EQ(findings[2].row, 4u);
  EXPECT_THAT(findings[2].metric_rows, IsEmpty());
}

TEST(CompatTest, one_function_on_two_devices_is_two_findings) {
  std::vector<CompatRow> rows = {scored("a", "m", 90, 1), scored("a", "m", 80, 1)};
  rows[1].device = "GPU 1";
  EXPECT_THAT(compat_findings(rows), SizeIs(2));
}

}  // namespace
}  // namespace strobe::compare
