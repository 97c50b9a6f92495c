#include "strobe/analysis/tables/kernels.h"

#include <gtest/gtest.h>

#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using namespace strobe::literals;

TEST(KernelsTest, every_kernel_counts_whoever_launched_it) {
  const Trace trace = Sketch()
                          .slice("op", SliceKind::kOperator, 0_us, 10_us)
                          .slice("call", SliceKind::kRuntimeCall, 1_us, 1_us)
                          .correlation(1)
                          .slice("call", SliceKind::kRuntimeCall, 50_us, 1_us)
                          .correlation(2)
                          .stream(0, 7)
                          .slice("k", kKernel, 60_us, 5_us)
                          .correlation(1)
                          .slice("k", kKernel, 70_us, 3_us)
                          .correlation(2)
                          .stream(1, 7)
                          .slice("k", kKernel, 60_us, 2_us)
                          .slice("copy", SliceKind::kMemcpy, 90_us, 9_us)
                          .trace();
  const auto rows = list_kernels(attribute_trace(trace));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].device.calls, 3u);
  EXPECT_EQ(rows[0].device.total_ns, 10_us);
  EXPECT_EQ(rows[0].top_operator, "op");
}

TEST(KernelsTest, the_top_operator_is_the_one_that_launched_most_of_the_time) {
  Sketch sketch;
  sketch.slice("often", SliceKind::kOperator, 0_us, 10_us);
  sketch.slice("call", SliceKind::kRuntimeCall, 1_us, 1_us).correlation(1);
  sketch.slice("call", SliceKind::kRuntimeCall, 3_us, 1_us).correlation(2);
  sketch.slice("long", SliceKind::kOperator, 20_us, 10_us);
  sketch.slice("call", SliceKind::kRuntimeCall, 21_us, 1_us).correlation(3);
  sketch.stream(0, 7);
  sketch.slice("k", kKernel, 60_us, 5_us).correlation(1);
  sketch.slice("k", kKernel, 70_us, 5_us).correlation(2);
  sketch.slice("k", kKernel, 80_us, 11_us).correlation(3).flags(kCommunicates);
  const Trace trace = sketch.trace();
  const auto rows = list_kernels(attribute_trace(trace));
  EXPECT_EQ(rows[0].top_operator, "long");
  EXPECT_TRUE(rows[0].communicates);
}

}  // namespace
}  // namespace strobe::analysis
