#include "strobe/bench/providers/cuda/kernel_times.h"

#include <gtest/gtest.h>

namespace strobe::bench {
namespace {

KernelLaunch kernel(const char* name, std::int64_t blocks, std::optional<double> us = {}) {
  return {.name = name, .grid = {blocks, 1, 1}, .duration_us = us};
}

TEST(KernelTimes, each_kernel_of_a_call_has_a_median_of_its_own) {
  KernelTimes times;
  EXPECT_TRUE(times.medians().empty());
  for (const double us : {3.0, 1.0, 2.0}) {
    times.add(std::vector{kernel("a", 1, us), kernel("b", 2, 10 * us)});
  }
  const auto medians = times.medians();
  ASSERT_EQ(medians.size(), 2u);
  EXPECT_EQ(medians[0].duration_us, 2.0);
  EXPECT_EQ(medians[1].name, "b");
  EXPECT_EQ(medians[1].duration_us, 20.0);
}

TEST(KernelTimes, a_call_of_other_kernels_is_passed_over) {
  KernelTimes times;
  times.add(std::vector{kernel("a", 1, 1.0)});
  times.add(std::vector{kernel("a", 7, 100.0)});
  times.add(std::vector{kernel("a", 1, 100.0), kernel("b", 1, 1.0)});
  EXPECT_EQ(times.medians().at(0).duration_us, 1.0);
}

TEST(KernelTimes, a_call_lasts_as_long_as_its_kernels_together) {
  EXPECT_EQ(sum_us(std::vector{kernel("a", 1, 1.5), kernel("b", 1, 2.0)}), 3.5);
}

TEST(WithDurations, launches_keep_their_names_and_take_the_times) {
  const auto timed = with_durations({kernel("ours", 4)}, {kernel("_Z4oursv", 4, 2.5)});
  EXPECT_EQ(timed.at(0).name, "ours");
  EXPECT_EQ(timed.at(0).duration_us, 2.5);
}

TEST(WithDurations, without_a_recording_nothing_changes_and_of_other_kernels_it_is_right) {
  EXPECT_FALSE(with_durations({kernel("ours", 4)}, {}).at(0).duration_us.has_value());
  const auto real = with_durations({kernel("cublasLtMatmul", 1)},
                                   {kernel("gemm", 8, 5.0), kernel("reduce", 2, 1.0)});
  ASSERT_EQ(real.size(), 2u);
  EXPECT_EQ(real[0].name, "gemm");
}

}  // namespace
}  // namespace strobe::bench
