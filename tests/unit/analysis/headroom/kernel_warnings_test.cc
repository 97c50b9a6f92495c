#include "strobe/analysis/headroom/kernel_warnings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/kernel_sketch.h"

namespace strobe::analysis {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<std::string> warnings_of(KernelSketch& sketch) {
  const KernelTable table = sketch.table();
  return study_kernels(table).warnings;
}

// A list nobody could complain of.
KernelSketch fine() {
  KernelSketch sketch;
  sketch.device("NVIDIA H200", 1.98e9);
  sketch.launch("k", 50'000, 10, 20).metric(KernelMetric::kClockHz, 1.90e9);
  return sketch;
}

TEST(KernelWarningsTest, a_clean_list_has_none) {
  KernelSketch sketch = fine();
  EXPECT_THAT(warnings_of(sketch), IsEmpty());
}

TEST(KernelWarningsTest, clocks_more_than_five_percent_apart_are_told_with_their_kernels) {
  KernelSketch sketch = fine();
  sketch.launch("slow_gemm", 50'000, 90, 20).metric(KernelMetric::kClockHz, 1.81e9);
  EXPECT_THAT(warnings_of(sketch), IsEmpty());
  KernelSketch apart = fine();
  apart.launch("slow_gemm", 50'000, 90, 20).metric(KernelMetric::kClockHz, 1.80e9);
  EXPECT_THAT(warnings_of(apart),
              Contains("the clock was not the same for all kernels: least 1.80 GHz in slow_gemm "
                       "(row 1), most 1.90 GHz in k (row 0); compare percentages rather than "
                       "times"));
}

TEST(KernelWarningsTest, a_low_and_a_locked_clock_are_told) {
  KernelSketch sketch;
  sketch.device("NVIDIA H200", 2e9);
  sketch.launch("k", 50'000, 10, 20).metric(KernelMetric::kClockHz, 1.5e9);
  sketch.now().clock_policy = ClockPolicy::kLocked;
  const std::vector<std::string> warnings = warnings_of(sketch);
  EXPECT_THAT(warnings, Contains(HasSubstr("1 of 1 kernels ran below 80 % of the chip's most clock "
                                           "(1.50 GHz of 2.00 GHz in k (row 0))")));
  EXPECT_THAT(warnings, Contains(HasSubstr("the profiler locked the clock")));
}

TEST(KernelWarningsTest, several_devices_do_not_add_up) {
  KernelSketch same = fine();
  same.on_device(0).device("NVIDIA H200");
  same.launch("k", 50'000, 10, 20).on_device(1);
  EXPECT_THAT(warnings_of(same), Contains(HasSubstr("kernels of 2 devices stand in one list")));

  KernelSketch different = fine();
  different.on_device(0).device("NVIDIA A100-SXM4-40GB");
  different.launch("k", 50'000, 10, 20).on_device(1);
  EXPECT_THAT(warnings_of(different),
              Contains(HasSubstr("different chips (NVIDIA A100-SXM4-40GB, NVIDIA H200)")));
}

TEST(KernelWarningsTest, a_device_without_a_kernel_does_not_count) {
  KernelSketch sketch = fine();
  sketch.on_device(0).device("NVIDIA A100-SXM4-40GB");
  EXPECT_THAT(warnings_of(sketch), IsEmpty());
}

TEST(KernelWarningsTest, an_unknown_chip_is_told_by_its_name) {
  KernelSketch nameless;
  nameless.launch("k", 50'000, 10, 20);
  EXPECT_THAT(warnings_of(nameless), Contains(HasSubstr("the file does not name its chip")));
  KernelSketch unknown;
  unknown.device("abacus").launch("k", 50'000, 10, 20);
  EXPECT_THAT(warnings_of(unknown), Contains(HasSubstr("the chip 'abacus' is not known")));
}

TEST(KernelWarningsTest, counters_that_are_missing_are_told) {
  const auto warnings_with = [](std::optional<double> tensor, std::optional<double> dram) {
    KernelSketch sketch;
    sketch.device("NVIDIA H200").launch("k", 50'000, tensor, dram);
    return warnings_of(sketch);
  };
  EXPECT_THAT(warnings_with({}, {}), Contains(HasSubstr("no launch has counters")));
  EXPECT_THAT(warnings_with({}, 10), Contains(HasSubstr("the tensor share was not counted")));
  EXPECT_THAT(warnings_with(10, {}), Contains(HasSubstr("the DRAM share was not counted")));
  KernelSketch some = fine();
  some.launch("k", 50'000, 10);
  EXPECT_THAT(warnings_of(some),
              Contains(HasSubstr("1 of 2 launches lack the tensor or the DRAM")));
}

TEST(KernelWarningsTest, many_short_kernels_are_told) {
  KernelSketch sketch = fine();
  sketch.launch("k", 9'999, 10, 20);
  EXPECT_THAT(warnings_of(sketch), Contains(HasSubstr("1 of 2 launches are shorter than 10 us")));
}

}  // namespace
}  // namespace strobe::analysis
