#include "strobe/analysis/steps/step_launches.h"

#include <gtest/gtest.h>

#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using namespace strobe::literals;

// Two steps on thread 1; thread 2 launches in the second step's time.
Trace two_threads() {
  return Sketch()
      .thread(1)
      .slice("Step#0", SliceKind::kStep, 0_us, 10_us)
      .slice("Step#1", SliceKind::kStep, 10_us, 10_us)
      .slice("call", kCall, 9_us, 1_us)
      .correlation(1)
      .thread(2)
      .slice("call", kCall, 10_us, 1_us)
      .correlation(2)
      .slice("call", kCall, 15_us, 1_us)
      .correlation(3)
      .stream(0, 7)
      .slice("k", SliceKind::kKernel, 100_us, 5_us)
      .correlation(1)
      .slice("k", SliceKind::kKernel, 110_us, 7_us)
      .correlation(2)
      .slice("c", SliceKind::kMemcpy, 120_us, 2_us)
      .correlation(3)
      .trace();
}

TEST(StepLaunchesTest, a_step_owns_what_its_own_thread_launched_below_it) {
  const Trace trace = two_threads();
  const auto sums = add_up_step_launches(attribute_trace(trace), list_steps(trace), false);
  EXPECT_EQ(sums[0].kernel_ns, 5_us);
  EXPECT_EQ(sums[1].kernel_ns, 0);
  EXPECT_EQ(sums[1].device_ns, 0);
}

TEST(StepLaunchesTest, covering_all_threads_it_owns_every_launch_that_starts_in_its_time) {
  const Trace trace = two_threads();
  const auto sums = add_up_step_launches(attribute_trace(trace), list_steps(trace), true);
  EXPECT_EQ(sums[0].kernel_ns, 5_us);
  EXPECT_EQ(sums[1].kernel_ns, 7_us);  // the launch at 10 us is the second step's
  EXPECT_EQ(sums[1].device_ns, 9_us);
}

TEST(StepLaunchesTest, the_launches_of_another_process_are_its_own) {
  const Trace trace = Sketch()
                          .thread(1, 1)
                          .slice("Step#0", SliceKind::kStep, 0_us, 10_us)
                          .thread(1, 2)
                          .slice("Step#0", SliceKind::kStep, 0_us, 10_us)
                          .slice("call", kCall, 5_us, 1_us)
                          .correlation(1)
                          .stream(0, 7)
                          .slice("k", SliceKind::kKernel, 100_us, 5_us)
                          .correlation(1)
                          .trace();
  const auto sums = add_up_step_launches(attribute_trace(trace), list_steps(trace), true);
  EXPECT_EQ(sums[0].kernel_ns, 0);
  EXPECT_EQ(sums[1].kernel_ns, 5_us);
}

TEST(StepLaunchesTest, a_launch_known_only_by_its_operator_happens_when_that_starts) {
  const Trace trace = Sketch()
                          .slice("Step#0", SliceKind::kStep, 0_us, 10_us)
                          .slice("op", SliceKind::kOperator, 5_us, 1_us)
                          .external(3)
                          .stream(0, 7)
                          .slice("k", SliceKind::kKernel, 100_us, 5_us)
                          .external(3)
                          .trace();
  const auto sums = add_up_step_launches(attribute_trace(trace), list_steps(trace), true);
  EXPECT_EQ(sums[0].kernel_ns, 5_us);
}

}  // namespace
}  // namespace strobe::analysis
