#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string_view>

#include "tests/support/sketch.h"
#include "tests/unit/analysis/tables/table_rows.h"

// Names whose ranges cross: none is inside the other.
namespace strobe::analysis {
namespace {

using namespace strobe::literals;
using ::testing::ElementsAre;
using ::testing::FieldsAre;

TEST(CrossingNamesTest,
     of_operators_that_cross_each_has_its_whole_time_and_no_moment_is_self_twice) {
  const auto rows =
      operator_rows(Sketch().slice("a", kOp, 0_us, 10_us).slice("b", kOp, 5_us, 10_us).trace());
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].host.total_ns, 10_us);
  EXPECT_EQ(rows[0].self_host_ns, 5_us);
  EXPECT_EQ(rows[1].host.total_ns, 10_us);
  EXPECT_EQ(rows[1].self_host_ns, 10_us);
}

TEST(CrossingNamesTest, calls_of_one_name_that_cross_share_their_common_time) {
  // The third is below the second, which crosses the first: the tree does not tell that the first
  // covers it.
  const auto rows = operator_rows(Sketch()
                                      .slice("a", kOp, 0_us, 10_us)
                                      .slice("b", kOp, 5_us, 10_us)
                                      .slice("a", kOp, 6_us, 1_us)
                                      .slice("a", kOp, 8_us, 4_us)
                                      .trace());
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].host.total_ns, 12_us);
  EXPECT_EQ(rows[0].self_host_ns, 5_us + 1_us + 4_us);
}

// Kernels of 1, 2 and 4 us, launched in the first range only, in both, in the second only.
Sketch two_crossing(std::string_view first, std::string_view second, SliceKind kind) {
  Sketch sketch;
  sketch.slice(first, kind, 0_us, 10_us).slice(second, kind, 5_us, 10_us);
  for (const std::uint32_t i : {0u, 1u, 2u}) {
    sketch.slice("launch", kCall, 1_us + i * 5_us, 1_us).correlation(i + 1);
  }
  sketch.stream(0, 7);
  for (const std::uint32_t i : {0u, 1u, 2u}) {
    sketch.slice("k", kKernel, 20_us + i * 10_us, 1_us << i).correlation(i + 1);
  }
  sketch.thread(1);
  return sketch;
}

TEST(CrossingNamesTest, work_launched_where_operators_cross_counts_for_both_and_is_the_later_ones) {
  const auto rows = operator_rows(two_crossing("a", "b", kOp).trace());
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].device.total_ns, 3_us);
  EXPECT_EQ(rows[0].device.max_ns, 3_us);
  EXPECT_EQ(rows[0].self_device_ns, 1_us);
  EXPECT_EQ(rows[1].device.total_ns, 6_us);
  EXPECT_EQ(rows[1].self_device_ns, 6_us);
}

TEST(CrossingNamesTest, where_operators_of_one_name_cross_their_work_counts_once) {
  const auto rows = operator_rows(two_crossing("a", "a", kOp).trace());
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].device.total_ns, 7_us);
  EXPECT_EQ(rows[0].device.max_ns, 6_us);
  EXPECT_EQ(rows[0].self_device_ns, 7_us);
}

TEST(CrossingNamesTest, work_below_a_namesake_counts_once_where_ranges_cross) {
  Sketch sketch = two_crossing("a", "b", kOp);
  sketch.slice("a", kOp, 6_us, 1_us);  // around the launch in both
  const auto rows = operator_rows(sketch.trace());
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].device.total_ns, 3_us);
  EXPECT_EQ(rows[0].self_device_ns, 3_us);
  EXPECT_EQ(rows[1].device.total_ns, 6_us);
  EXPECT_EQ(rows[1].self_device_ns, 4_us);
}

TEST(CrossingNamesTest, three_ranges_may_cross) {
  Sketch sketch = two_crossing("a", "b", kOp);
  sketch.slice("a", kOp, 5500, 12_us);  // from before the launch in both until after b
  const auto rows = operator_rows(sketch.trace());
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].device.total_ns, 7_us);
  EXPECT_EQ(rows[1].device.total_ns, 6_us);
  EXPECT_EQ(rows[1].self_device_ns, 0);
}

TEST(CrossingNamesTest, classic_work_counts_for_one_of_the_operators_that_cross) {
  const auto rows = operator_rows(two_crossing("a", "b", kOp).trace(), TreeRules::kCompatible);
  std::int64_t sum_ns = 0;
  for (const OperatorRow& row : rows) sum_ns += row.device.total_ns;
  EXPECT_EQ(sum_ns, 7_us);
}

TEST(CrossingNamesTest, an_operator_launches_a_kernel_by_time_where_another_range_crosses_it) {
  Sketch sketch = two_crossing("a", "b", kOp);
  sketch.slice("range", SliceKind::kAnnotation, 5500, 20_us);
  const auto kernels = kernel_rows(sketch.trace());
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_THAT(kernels[0].launchers, ElementsAre(FieldsAre("b", "", 4_us), FieldsAre("b", "a", 2_us),
                                                FieldsAre("a", "", 1_us)));
}

TEST(CrossingNamesTest, work_launched_where_ranges_cross_counts_for_both) {
  const auto rows = range_rows(two_crossing("A", "B", SliceKind::kAnnotation).trace());
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].device.total_ns, 3_us);
  EXPECT_EQ(rows[1].device.total_ns, 6_us);
}

}  // namespace
}  // namespace strobe::analysis
