#include "strobe/analysis/health/health_evidence.h"

#include <gtest/gtest.h>

#include "tests/unit/analysis/health/health_sketch.h"

namespace strobe::analysis {
namespace {

TEST(HealthEvidenceTest, work_and_calls_are_joined) {
  const Trace trace = sketch_of({.launches = 5, .calls_from = 2, .kernels_until = 4}).trace();
  const ImportReport import;
  const HealthEvidence evidence(trace, import);
  ASSERT_EQ(evidence.works.size(), 4u);
  EXPECT_FALSE(evidence.works[0].is_linked);
  EXPECT_EQ(evidence.linked, 3u);
  ASSERT_EQ(evidence.launches.size(), 4u);
  EXPECT_EQ(evidence.launches[0].works, 1u);
  EXPECT_EQ(evidence.launches[3].works, 0u);
  EXPECT_EQ(evidence.device_ns, 200_us);
  EXPECT_TRUE(evidence.has_operators);
}

TEST(HealthEvidenceTest, an_arrow_is_a_launch_as_well) {
  Sketch sketch;
  sketch.thread(1).slice("aten::mm", kOp, 0_us, 20_us).flow(1, FlowPhase::kStart, 5_us);
  sketch.stream(0, 7).slice("gemm", kKernel, 30_us, 50_us).flow(1, FlowPhase::kEnd, 30_us);
  const Trace trace = sketch.trace();
  const ImportReport import;
  const HealthEvidence evidence(trace, import);
  EXPECT_EQ(evidence.linked, 1u);
  EXPECT_FALSE(evidence.works[0].call.valid());
}

TEST(HealthEvidenceTest, a_part_is_told_with_its_base) {
  EXPECT_EQ(part_of_text(3, 1'200, "calls"), "3 of 1,200 calls (0.3 %)");
}

}  // namespace
}  // namespace strobe::analysis
