#include "strobe/analysis/findings/finding.h"

#include <gtest/gtest.h>

#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using namespace strobe::literals;

TEST(FindingTest, heavier_findings_come_first_then_those_that_explain_more) {
  Sketch sketch;
  sketch.slice("Step#0", SliceKind::kStep, 0_us, 1000_us);
  sketch.slice("next batch", SliceKind::kDataLoader, 0_us, 200_us);
  sketch.slice("work", SliceKind::kAnnotation, 200_us, 800_us);
  sketch.stream(0, 7).slice("orphan", SliceKind::kKernel, 900_us, 50_us);
  const Trace trace = sketch.trace();
  const auto findings = find_in(trace, summarize(trace));
  ASSERT_GE(findings.size(), 3u);
  EXPECT_EQ(findings[0].code, "device_idle_host_bound");
  EXPECT_EQ(findings[1].code, "device_waits_for_data");
  for (std::size_t i = 1; i < findings.size(); ++i) {
    EXPECT_LE(findings[i].weight, findings[i - 1].weight);
  }
}

TEST(FindingTest, an_empty_trace_has_no_findings) {
  const Trace trace = Sketch().trace();
  EXPECT_TRUE(find_in(trace, summarize(trace)).empty());
}

}  // namespace
}  // namespace strobe::analysis
