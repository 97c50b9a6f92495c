#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sketch.h"
#include "tests/unit/analysis/tables/table_rows.h"

// The table of kernels, and who launched them.
namespace strobe::analysis {
namespace {

using namespace strobe::literals;
using ::testing::ElementsAre;
using ::testing::FieldsAre;

TEST(KernelsTest, every_kernel_counts_with_any_launcher) {
  const Trace trace = Sketch()
                          .slice("op", kOp, 0_us, 10_us)
                          .slice("call", kCall, 1_us, 1_us)
                          .correlation(1)
                          .slice("call", kCall, 50_us, 1_us)
                          .correlation(2)
                          .stream(0, 7)
                          .slice("k", kKernel, 60_us, 6_us)
                          .correlation(1)
                          .slice("k", kKernel, 70_us, 3_us)
                          .correlation(2)
                          .stream(1, 7)
                          .slice("k", kKernel, 60_us, 2_us)
                          .slice("copy", SliceKind::kMemcpy, 90_us, 9_us)
                          .trace();
  const auto rows = kernel_rows(trace);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].device.calls, 3u);
  EXPECT_EQ(rows[0].device.total_ns, 11_us);
  EXPECT_THAT(rows[0].launchers, ElementsAre(FieldsAre("op", "", 6_us), FieldsAre("", "", 5_us)));
  EXPECT_EQ(rows[0].top_operator(), "op");
}

TEST(KernelsTest, the_top_operator_is_the_one_that_launched_most_of_the_time) {
  Sketch sketch;
  sketch.slice("often", kOp, 0_us, 10_us);
  sketch.slice("call", kCall, 1_us, 1_us).correlation(1);
  sketch.slice("call", kCall, 3_us, 1_us).correlation(2);
  sketch.slice("long", kOp, 20_us, 10_us);
  sketch.slice("call", kCall, 21_us, 1_us).correlation(3);
  sketch.stream(0, 7);
  sketch.slice("k", kKernel, 60_us, 5_us).correlation(1);
  sketch.slice("k", kKernel, 70_us, 5_us).correlation(2);
  sketch.slice("k", kKernel, 80_us, 11_us).correlation(3).flags(kCommunicates);
  const auto rows = kernel_rows(sketch.trace());
  EXPECT_EQ(rows[0].top_operator(), "long");
  EXPECT_TRUE(rows[0].communicates);
}

TEST(KernelsTest, a_launcher_is_the_innermost_operator_with_the_outermost_beside_it) {
  Sketch sketch;
  sketch.slice("aten::linear", kOp, 0_us, 10_us).slice("aten::t", kOp, 1_us, 1_us);
  sketch.slice("aten::addmm", kOp, 3_us, 6_us).slice("range", SliceKind::kUserRange, 4_us, 4_us);
  sketch.slice("call", kCall, 5_us, 1_us).correlation(1);
  sketch.slice("aten::addmm", kOp, 20_us, 6_us).slice("call", kCall, 21_us, 1_us).correlation(2);
  sketch.slice("backward", kOp, 30_us, 9_us).slice("aten::mm", kOp, 31_us, 7_us);
  sketch.slice("call", kCall, 32_us, 1_us).correlation(3);
  sketch.slice("call", kCall, 34_us, 1_us).correlation(4);
  sketch.stream(0, 7);
  sketch.slice("gemm", kKernel, 60_us, 5_us).correlation(1);
  sketch.slice("gemm", kKernel, 70_us, 3_us).correlation(2);
  sketch.slice("gemm", kKernel, 80_us, 4_us).correlation(3);
  sketch.slice("gemm", kKernel, 90_us, 2_us).correlation(4);
  const auto rows = kernel_rows(sketch.trace());
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_THAT(rows[0].launchers, ElementsAre(FieldsAre("aten::mm", "backward", 6_us),
                                             FieldsAre("aten::addmm", "aten::linear", 5_us),
                                             FieldsAre("aten::addmm", "", 3_us)));
}

TEST(KernelsTest, most_time_may_be_launched_outside_of_operators) {
  Sketch sketch;
  sketch.slice("op", kOp, 0_us, 10_us).slice("call", kCall, 1_us, 1_us).correlation(1);
  sketch.slice("range", SliceKind::kAnnotation, 20_us, 10_us);
  sketch.slice("call", kCall, 21_us, 1_us).correlation(2);
  sketch.stream(0, 7);
  sketch.slice("k", kKernel, 60_us, 5_us).correlation(1);
  sketch.slice("k", kKernel, 70_us, 4_us).correlation(2);
  sketch.slice("k", kKernel, 80_us, 3_us);
  const auto rows = kernel_rows(sketch.trace());
  EXPECT_THAT(rows[0].launchers, ElementsAre(FieldsAre("", "", 7_us), FieldsAre("op", "", 5_us)));
  EXPECT_EQ(rows[0].top_operator(), "");
}

}  // namespace
}  // namespace strobe::analysis
