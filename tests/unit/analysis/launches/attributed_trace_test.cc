#include "strobe/analysis/launches/attributed_trace.h"

#include <gtest/gtest.h>

#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using namespace strobe::literals;

Trace launches_from_a_thread(bool steps_cover_all_threads) {
  TraceTraits traits;
  traits.steps_cover_all_threads = steps_cover_all_threads;
  return Sketch()
      .traits(traits)
      .slice("op", SliceKind::kOperator, 0_us, 10_us)
      .slice("call", SliceKind::kRuntimeCall, 1_us, 1_us)
      .correlation(1)
      .slice("call", SliceKind::kRuntimeCall, 20_us, 1_us)
      .correlation(2)
      .stream(0, 7)
      .slice("from op", SliceKind::kKernel, 30_us, 1_us)
      .correlation(1)
      .slice("from thread", SliceKind::kKernel, 40_us, 1_us)
      .correlation(2)
      .slice("orphan", SliceKind::kKernel, 50_us, 1_us)
      .trace();
}

TEST(AttributedTraceTest, a_node_knows_the_work_it_launched_itself) {
  const Trace trace = launches_from_a_thread(false);
  const AttributedTrace input = attribute_trace(trace);
  ASSERT_EQ(input.works_of(NodeId(1)).size(), 1u);
  EXPECT_EQ(trace.name(input.attribution.works.slices[input.works_of(NodeId(1))[0]]), "from op");
}

TEST(AttributedTraceTest, device_time_is_what_was_launched_at_any_depth) {
  const Trace trace = Sketch()
                          .slice("op", SliceKind::kOperator, 0_us, 20_us)
                          .slice("phase", SliceKind::kOperatorPhase, 5_us, 10_us)
                          .slice("call", SliceKind::kRuntimeCall, 1_us, 2_us)
                          .correlation(1)
                          .slice("call", SliceKind::kRuntimeCall, 6_us, 3_us)
                          .correlation(2)
                          .stream(0, 7)
                          .slice("copy", SliceKind::kMemcpy, 30_us, 7_us)
                          .correlation(1)
                          .slice("kernel", SliceKind::kKernel, 40_us, 50_us)
                          .correlation(2)
                          .trace();
  const AttributedTrace input = attribute_trace(trace);
  EXPECT_EQ(input.kernel_ns(NodeId(1)), 50_us);
  EXPECT_EQ(input.device_ns(NodeId(1)), 57_us);
  EXPECT_EQ(input.device_ns(NodeId(2)), 50_us);
  EXPECT_EQ(input.device_ns(NodeId(0)), 57_us);
}

TEST(AttributedTraceTest, what_hangs_on_a_thread_counts_only_where_steps_cover_all_threads) {
  const Trace strict = launches_from_a_thread(false);
  const AttributedTrace skips = attribute_trace(strict);
  EXPECT_FALSE(skips.counts_work(1));
  EXPECT_FALSE(skips.counts_call(1));
  const Trace generous = launches_from_a_thread(true);
  const AttributedTrace keeps = attribute_trace(generous);
  EXPECT_TRUE(keeps.counts_work(1));
  EXPECT_TRUE(keeps.counts_call(1));
}

TEST(AttributedTraceTest, orphans_always_count) {
  const Trace trace = launches_from_a_thread(false);
  EXPECT_TRUE(attribute_trace(trace).counts_work(2));
}

}  // namespace
}  // namespace strobe::analysis
