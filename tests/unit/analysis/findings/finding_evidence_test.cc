#include "strobe/analysis/findings/finding_evidence.h"

#include <gtest/gtest.h>

#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using namespace strobe::literals;

TEST(FindingEvidenceTest, it_adds_up_steps_kernels_and_calls) {
  const Trace trace = Sketch()
                          .slice("Step#0", SliceKind::kStep, 0_us, 100_us)
                          .slice("xLaunchKernel", kCall, 1_us, 4_us)
                          .slice("xStreamSynchronize", kCall, 50_us, 10_us)
                          .slice("xDeviceSynchronize", kCall, 70_us, 20_us)
                          .slice("xGetDevice", kCall, 95_us, 1_us)
                          .flags(kUnfinished)
                          .stream(0, 7)
                          .slice("k", SliceKind::kKernel, 10_us, 2_us)
                          .slice("k", SliceKind::kKernel, 20_us, 3_us)
                          .slice("k", SliceKind::kKernel, 30_us, 15_us)
                          .trace();
  const Summary summary = summarize(trace);
  const Evidence evidence = gather_evidence(trace, summary);
  EXPECT_EQ(evidence.labelled_ns, 100_us);
  EXPECT_EQ(evidence.use.busy_ns, 20_us);
  EXPECT_DOUBLE_EQ(evidence.use.share(), 0.2);
  EXPECT_EQ(evidence.kernels.calls, 3u);
  EXPECT_EQ(evidence.median_kernel_ns, 3_us);
  EXPECT_EQ(evidence.tiny_kernels.calls, 2u);
  EXPECT_EQ(evidence.launches.time.total_ns, 4_us);
  EXPECT_EQ(evidence.waits.time.total_ns, 30_us);
  EXPECT_EQ(evidence.waits.longest, "xDeviceSynchronize");
  EXPECT_EQ(evidence.unfinished_slices, 1u);
  EXPECT_EQ(evidence.device_slices, 3u);
  EXPECT_EQ(evidence.whole_text(), "the step");
}

TEST(FindingEvidenceTest, an_empty_trace_has_no_shares) {
  const Trace trace = Sketch().trace();
  const Summary summary = summarize(trace);
  const Evidence evidence = gather_evidence(trace, summary);
  EXPECT_EQ(evidence.use.share(), 0);
  EXPECT_EQ(evidence.share_of(StepLabel::kHost), 0);
}

}  // namespace
}  // namespace strobe::analysis
