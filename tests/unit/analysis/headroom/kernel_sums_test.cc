#include "strobe/analysis/headroom/kernel_sums.h"

#include <gtest/gtest.h>

namespace strobe::analysis {
namespace {

TEST(KernelSumsTest, percentages_are_weighted_by_time) {
  KernelSums sums;
  sums.add(KernelSample{100, 50.0, 10.0});
  sums.add(KernelSample{300, 10.0, 30.0});
  EXPECT_EQ(sums.launches, 2u);
  EXPECT_EQ(sums.latency_ns, 400);
  EXPECT_EQ(sums.least_ns, 100);
  EXPECT_EQ(sums.most_ns, 300);
  EXPECT_DOUBLE_EQ(sums.mean_ns(), 200);
  EXPECT_DOUBLE_EQ(*sums.tensor_percent(), 20);  // (100 * 50 + 300 * 10) / 400
  EXPECT_DOUBLE_EQ(*sums.dram_percent(), 25);
  EXPECT_DOUBLE_EQ(*sums.headroom_ns(), 50 + 210);  // 100 * (1 - 0.5) + 300 * (1 - 0.3)
}

TEST(KernelSumsTest, what_was_not_counted_is_left_out_and_not_zero) {
  KernelSums sums;
  sums.add(KernelSample{100, 50.0, {}});
  sums.add(KernelSample{300, {}, {}});
  EXPECT_DOUBLE_EQ(*sums.tensor_percent(), 50);
  EXPECT_FALSE(sums.dram_percent());
  EXPECT_DOUBLE_EQ(*sums.headroom_ns(), 50);
  EXPECT_EQ(sums.headroom_counted_ns, 100);

  KernelSums times_only;
  times_only.add(KernelSample{100, {}, {}});
  EXPECT_FALSE(times_only.headroom_ns());
  EXPECT_FALSE(times_only.headroom_share_of(times_only));
}

TEST(KernelSumsTest, a_kernel_that_the_only_counter_finds_idle_has_no_known_headroom) {
  EXPECT_FALSE(headroom_ns({100, {}, 0.5}));  // the matrix pipe may be at its limit
  EXPECT_DOUBLE_EQ(*headroom_ns({100, {}, 30.0}), 70);
  EXPECT_DOUBLE_EQ(*headroom_ns({100, 0.0, 0.5}), 99.5);
  KernelSums sums;
  sums.add(KernelSample{100, {}, 0.5});
  sums.add(KernelSample{100, {}, 80.0});
  EXPECT_DOUBLE_EQ(*sums.headroom_ns(), 20);
  EXPECT_EQ(sums.headroom_counted_ns, 100);
}

// 100 * max(0, 1 - max(45 / 90, 81 / 90)) and 100 * 0, as 95 % is above what is achievable.
TEST(KernelSumsTest, what_is_achievable_is_measured_from_the_roofs) {
  const Roofs roofs{.tensor = 0.9, .dram = 0.9};
  KernelSums sums;
  sums.add(KernelSample{100, 45.0, 81.0}, roofs);
  EXPECT_NEAR(*sums.achievable_headroom_ns(), 10, 1e-9);
  sums.add(KernelSample{100, 0.0, 95.0}, roofs);
  EXPECT_NEAR(*sums.achievable_headroom_ns(), 10, 1e-9);
  EXPECT_NEAR(*headroom_ns({100, 45.0, 81.0}, roofs), 10, 1e-9);
}

TEST(KernelSumsTest, a_count_beyond_the_peak_gives_no_negative_headroom) {
  EXPECT_DOUBLE_EQ(*headroom_ns({100, 0.0, 104.0}), 0);
  KernelSums sums;
  sums.add(KernelSample{100, 0.0, 104.0});
  EXPECT_DOUBLE_EQ(*sums.headroom_ns(), 0);
}

TEST(KernelSumsTest, sums_of_parts_are_the_sum_of_the_whole) {
  const KernelSample samples[] = {{10, 1.0, 2.0}, {20, {}, 4.0}, {5, 6.0, {}}, {7, {}, {}}};
  KernelSums whole;
  KernelSums first;
  KernelSums second;
  for (std::size_t i = 0; i < 4; ++i) {
    whole.add(samples[i]);
    (i < 2 ? first : second).add(samples[i]);
  }
  first.add(second);
  first.add(KernelSums{});
  EXPECT_EQ(first.launches, whole.launches);
  EXPECT_EQ(first.least_ns, 5);
  EXPECT_EQ(first.most_ns, 20);
  EXPECT_EQ(first.tensor_ns_percent, whole.tensor_ns_percent);
  EXPECT_EQ(first.dram_ns_percent, whole.dram_ns_percent);
  EXPECT_EQ(first.headroom_ns_percent, whole.headroom_ns_percent);
  EXPECT_DOUBLE_EQ(second.share_of(whole), 12.0 / 42);
}

TEST(KernelSumsTest, nothing_has_no_share_and_no_mean) {
  const KernelSums nothing;
  EXPECT_EQ(nothing.mean_ns(), 0);
  EXPECT_EQ(nothing.share_of(nothing), 0);
}

KernelBound bound_of(std::optional<double> tensor, std::optional<double> dram,
                     std::optional<double> l2_share = {}) {
  return kernel_bound({1000, tensor, dram}, l2_share);
}

TEST(KernelBoundTest, the_busier_resource_names_it_from_sixty_and_from_thirty_percent) {
  EXPECT_EQ(bound_of(60, 10), KernelBound::kTensorBound);
  EXPECT_EQ(bound_of(59.99, 10), KernelBound::kTensorLeaning);
  EXPECT_EQ(bound_of(30, 10), KernelBound::kTensorLeaning);
  EXPECT_EQ(bound_of(10, 60), KernelBound::kDramBound);
  EXPECT_EQ(bound_of(10, 30), KernelBound::kDramLeaning);
  EXPECT_EQ(bound_of(29.99, 29.99), KernelBound::kLatencyBound);
}

TEST(KernelBoundTest, the_matrix_pipe_wins_a_tie) {
  EXPECT_EQ(bound_of(60, 60), KernelBound::kTensorBound);
  EXPECT_EQ(bound_of(30, 30), KernelBound::kTensorLeaning);
}

TEST(KernelBoundTest, the_cache_limits_only_what_nothing_else_does) {
  EXPECT_EQ(bound_of(5, 10, 0.61), KernelBound::kL2Bound);
  EXPECT_EQ(bound_of(5, 10, 0.60), KernelBound::kLatencyBound);
  EXPECT_EQ(bound_of(5, 40, 0.95), KernelBound::kDramLeaning);
}

TEST(KernelBoundTest, a_resource_that_was_not_counted_may_be_the_bound) {
  EXPECT_EQ(bound_of({}, {}), KernelBound::kUnknown);
  EXPECT_EQ(bound_of({}, 10), KernelBound::kUnknown);
  EXPECT_EQ(bound_of({}, 70), KernelBound::kDramBound);
  EXPECT_EQ(bound_of(40, {}), KernelBound::kTensorLeaning);
}

TEST(KernelBoundTest, every_bound_has_its_word) {
  EXPECT_EQ(word_of(KernelBound::kTensorLeaning), "tensor-leaning");
  EXPECT_EQ(word_of(KernelBound::kL2Bound), "l2-bound");
  EXPECT_EQ(word_of(KernelBound::kUnknown), "unknown");
}

TEST(KernelBoundTest, a_clock_is_low_below_four_fifths_of_the_most) {
  EXPECT_TRUE(is_clock_low(1.09e9, 1.41e9));
  EXPECT_FALSE(is_clock_low(1.60e9, 2.00e9));
  EXPECT_FALSE(is_clock_low(0, 2.00e9));
  EXPECT_FALSE(is_clock_low(1.00e9, 0));
}

}  // namespace

}  // namespace strobe::analysis
