#include "strobe/analysis/node_times.h"

#include <gmock/gmock.h>

#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using namespace strobe::literals;
using ::testing::ElementsAre;

TEST(NodeTimesTest, device_time_is_what_was_launched_at_any_depth) {
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
  const OpTree tree = build_op_tree(trace);
  const NodeTimes times = add_up_nodes(trace, tree, attribute(trace, tree));
  EXPECT_THAT(times.kernel_ns, ElementsAre(50_us, 50_us, 50_us));
  EXPECT_THAT(times.device_ns, ElementsAre(57_us, 57_us, 50_us));
}

TEST(NodeTimesTest, self_host_time_leaves_out_children_and_runtime_calls) {
  const Trace trace = Sketch()
                          .slice("op", SliceKind::kOperator, 0_us, 20_us)
                          .slice("phase", SliceKind::kOperatorPhase, 5_us, 10_us)
                          .slice("call", SliceKind::kRuntimeCall, 1_us, 2_us)
                          .slice("call", SliceKind::kRuntimeCall, 6_us, 3_us)
                          .trace();
  const OpTree tree = build_op_tree(trace);
  const NodeTimes times = add_up_nodes(trace, tree, attribute(trace, tree));
  EXPECT_EQ(times.self_host_ns[1], 8_us);  // 20 - 10 (phase) - 2 (its own call)
  EXPECT_EQ(times.self_host_ns[2], 7_us);  // 10 - 3
}

}  // namespace
}  // namespace strobe::analysis
