#include "strobe/analysis/headroom/kernel_bound.h"

#include <gtest/gtest.h>

namespace strobe::analysis {
namespace {

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

TEST(KernelBoundTest, a_resource_nobody_counted_may_be_the_bound) {
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
