#include "strobe/analysis/launches/attribution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using namespace strobe::literals;
using ::testing::ElementsAre;

class AttributionTest : public ::testing::Test {
 protected:
  void attribute_sketch(const TimeSelection& selection = {}) {
    trace_ = sketch_.trace();
    tree_ = build_op_tree(trace_, selection);
    result_ = attribute(trace_, tree_, selection);
  }
  std::string name(NodeId node) const {
    if (!node.valid()) return "none";
    return tree_.is_thread(node) ? "thread" : std::string(trace_.name(tree_.slices[node.index()]));
  }
  std::string call_owner(std::size_t call) const { return name(result_.calls.owners[call]); }
  std::string work_owner(std::size_t work) const { return name(result_.works.owners[work]); }

  Sketch sketch_;
  Trace trace_;
  OpTree tree_;
  Attribution result_;
};

TEST_F(AttributionTest, a_call_belongs_to_the_innermost_range_that_contains_it_whole) {
  sketch_.slice("op", kOp, 0_us, 20_us)
      .slice("phase", SliceKind::kOperatorPhase, 5_us, 5_us)
      .slice("inside", kCall, 6_us, 2_us)
      .slice("longer than the phase", kCall, 9_us, 3_us)
      .slice("outside", kCall, 30_us, 1_us);
  attribute_sketch();
  EXPECT_EQ(call_owner(0), "phase");
  EXPECT_EQ(call_owner(1), "op");
  EXPECT_EQ(call_owner(2), "thread");
}

TEST_F(AttributionTest, a_call_that_ends_with_its_range_is_inside) {
  sketch_.slice("op", kOp, 0_us, 20_us).slice("call", kCall, 18_us, 2_us);
  attribute_sketch();
  EXPECT_EQ(call_owner(0), "op");
}

TEST_F(AttributionTest, what_is_launched_where_ranges_cross_is_inside_of_both) {
  sketch_.slice("a", kOp, 0_us, 10_us).slice("b", kOp, 5_us, 10_us).slice("inner", kOp, 6_us, 2_us);
  sketch_.slice("in a", kCall, 1_us, 1_us).correlation(1);
  sketch_.slice("in both", kCall, 6_us, 1_us).correlation(2);
  sketch_.slice("beyond a", kCall, 9_us, 2_us).correlation(3);
  sketch_.stream(0, 7);
  for (const std::uint32_t i : {1u, 2u, 3u}) {
    sketch_.slice("k", SliceKind::kKernel, i * 20_us, i * 1_us).correlation(i);
  }
  attribute_sketch();
  EXPECT_EQ(call_owner(1), "inner");
  ASSERT_EQ(result_.crossings.nodes.size(), 1u);
  EXPECT_EQ(name(result_.crossings.nodes[0]), "a");
  ASSERT_EQ(result_.crossings.launches.size(), 1u);
  EXPECT_EQ(result_.crossings.launches[0].work, 1u);
  EXPECT_EQ(result_.crossings.launches[0].end_ns, 7_us);
  EXPECT_EQ(result_.crossings.launches[0].device_ns, 2_us);
}

TEST_F(AttributionTest, the_files_own_word_on_an_owner_wins) {
  sketch_.slice("op", kOp, 0_us, 20_us)
      .slice("phase", SliceKind::kOperatorPhase, 5_us, 5_us)
      .slice("call", kCall, 6_us, 2_us)
      .owned_by("op")
      .slice("stray", kCall, 7_us, 1_us)
      .owned_by_thread();
  attribute_sketch();
  EXPECT_EQ(call_owner(0), "op");
  EXPECT_EQ(call_owner(1), "thread");
}

TEST_F(AttributionTest, the_files_own_word_on_a_launch_beats_a_repeated_correlation) {
  sketch_.slice("first", kOp, 0_us, 10_us)
      .slice("launch", kCall, 1_us, 2_us)
      .correlation(7)
      .owned_by("first");
  sketch_.stream(0, 7).slice("kernel", kKernel, 50_us, 9_us).correlation(7).owned_by("launch");
  sketch_.thread(1)
      .slice("second", kOp, 20_us, 10_us)
      .slice("launch", kCall, 21_us, 2_us)
      .correlation(7)
      .owned_by("second");
  sketch_.stream(0, 7).slice("unclaimed", kKernel, 70_us, 9_us).correlation(7);
  attribute_sketch();
  EXPECT_EQ(work_owner(0), "first");
  EXPECT_EQ(work_owner(1), "second");
}

TEST_F(AttributionTest, work_of_a_call_outside_the_selection_is_left_out_by_order_too) {
  sketch_.slice("op", kOp, 0_us, 10_us).slice("launch", kCall, 1_us, 2_us).correlation(7);
  sketch_.owned_by("op").stream(0, 7).slice("kernel", kKernel, 50_us, 9_us).correlation(7);
  sketch_.owned_by("launch");
  attribute_sketch(TimeSelection({{20_us, 90_us}}));
  EXPECT_EQ(result_.works.size(), 0u);
}

TEST_F(AttributionTest, work_follows_its_correlation_to_the_call) {
  sketch_.slice("op", kOp, 0_us, 20_us)
      .slice("call", kCall, 1_us, 2_us)
      .correlation(7)
      .stream(0, 7)
      .slice("kernel", kKernel, 50_us, 9_us)
      .correlation(7);
  attribute_sketch();
  EXPECT_EQ(work_owner(0), "op");
  EXPECT_EQ(result_.works.evidence[0], LaunchEvidence::kCorrelation);
}

TEST_F(AttributionTest, of_two_calls_with_one_correlation_the_last_in_the_file_wins) {
  sketch_.slice("first", kOp, 0_us, 5_us)
      .slice("second", kOp, 10_us, 5_us)
      .slice("call", kCall, 11_us, 1_us)
      .correlation(7)
      .slice("call", kCall, 1_us, 1_us)
      .correlation(7)
      .stream(0, 7)
      .slice("kernel", kKernel, 50_us, 9_us)
      .correlation(7);
  attribute_sketch();
  EXPECT_EQ(work_owner(0), "first");
}

TEST_F(AttributionTest, all_kernels_of_a_graph_launch_belong_to_the_one_call) {
  sketch_.slice("replay", kOp, 0_us, 5_us).slice("call", kCall, 1_us, 1_us).correlation(3);
  sketch_.stream(0, 7);
  for (int i = 0; i < 4; ++i) {
    sketch_.slice("kernel", kKernel, 10_us + 2_us * i, 1_us).correlation(3);
  }
  attribute_sketch();
  ASSERT_EQ(result_.works.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(work_owner(i), "replay");
}

TEST_F(AttributionTest, without_a_call_the_external_id_leads_to_the_operator) {
  sketch_.slice("op", kOp, 0_us, 20_us)
      .external(41)
      .stream(0, 7)
      .slice("kernel", kKernel, 50_us, 9_us)
      .correlation(7)
      .external(41);
  attribute_sketch();
  EXPECT_EQ(work_owner(0), "op");
  EXPECT_FALSE(result_.works.calls[0].valid());
  EXPECT_EQ(result_.works.evidence[0], LaunchEvidence::kExternalId);
}

TEST_F(AttributionTest, else_an_arrow_leads_from_the_work_to_its_launch) {
  sketch_.slice("op", kOp, 0_us, 20_us)
      .slice("call", kCall, 4_us, 2_us)
      .flow(99, FlowPhase::kStart, 5_us)
      .stream(0, 7)
      .slice("kernel", kKernel, 50_us, 9_us)
      .flow(99, FlowPhase::kEnd, 50_us);
  attribute_sketch();
  EXPECT_EQ(work_owner(0), "op");
  EXPECT_EQ(result_.works.calls[0], CallId(0));
  EXPECT_EQ(result_.works.evidence[0], LaunchEvidence::kFlow);
}

TEST_F(AttributionTest, arrows_of_another_category_do_not_count) {
  sketch_.slice("op", kOp, 0_us, 20_us)
      .flow(99, FlowPhase::kStart, 5_us, "forward to backward")
      .stream(0, 7)
      .slice("kernel", kKernel, 50_us, 9_us)
      .flow(99, FlowPhase::kEnd, 50_us, "launch");
  attribute_sketch();
  EXPECT_EQ(work_owner(0), "none");
}

TEST_F(AttributionTest, work_without_a_launch_is_an_orphan) {
  sketch_.slice("op", kOp, 0_us, 20_us).stream(0, 7).slice("kernel", kKernel, 5_us, 9_us);
  attribute_sketch();
  EXPECT_TRUE(result_.works.is_orphan(0));
  EXPECT_EQ(result_.works.evidence[0], LaunchEvidence::kNone);
}

TEST_F(AttributionTest, work_is_visited_by_its_owner_then_by_its_call_and_orphans_come_last) {
  sketch_.slice("a", kOp, 0_us, 10_us)
      .slice("b", kOp, 20_us, 10_us)
      .slice("call", kCall, 1_us, 1_us)
      .correlation(1)
      .slice("call", kCall, 3_us, 1_us)
      .correlation(2)
      .slice("call", kCall, 21_us, 1_us)
      .correlation(3)
      .stream(0, 7)
      .slice("orphan", kKernel, 30_us, 1_us)
      .slice("of a, second", kKernel, 31_us, 1_us)
      .correlation(2)
      .slice("of a, first", kKernel, 32_us, 1_us)
      .correlation(1)
      .slice("of b", kKernel, 33_us, 1_us)
      .correlation(3);
  attribute_sketch();
  std::vector<std::string> order;
  for (const std::uint32_t work : result_.works.visiting_order) {
    order.emplace_back(trace_.name(result_.works.slices[work]));
  }
  EXPECT_THAT(order, ElementsAre("of a, first", "of a, second", "of b", "orphan"));
}

TEST_F(AttributionTest, work_launched_outside_the_selection_is_left_out_and_orphans_go_by_time) {
  sketch_.slice("op", kOp, 0_us, 40_us)
      .slice("early", kCall, 1_us, 1_us)
      .correlation(1)
      .slice("late", kCall, 21_us, 1_us)
      .correlation(2)
      .stream(0, 7)
      .slice("launched early", kKernel, 25_us, 1_us)
      .correlation(1)
      .slice("launched late", kKernel, 45_us, 1_us)
      .correlation(2)
      .slice("orphan inside", kKernel, 27_us, 1_us)
      .slice("orphan outside", kKernel, 50_us, 1_us);
  attribute_sketch(TimeSelection({{20_us, 30_us}}));
  std::vector<std::string> kept;
  for (const SliceId slice : result_.works.slices) kept.emplace_back(trace_.name(slice));
  EXPECT_THAT(kept, ElementsAre("launched late", "orphan inside"));
}

TEST_F(AttributionTest, memory_belongs_to_the_innermost_range_open_at_its_time_ends_included) {
  sketch_.slice("op", kOp, 0_us, 20_us)
      .slice("phase", SliceKind::kOperatorPhase, 5_us, 5_us)
      .memory(MemoryAction::kAllocate, "Place(gpu:0)", 10_us, 512)
      .memory(MemoryAction::kFree, "Place(gpu:0)", 11_us, -512)
      .memory(MemoryAction::kAllocate, "Place(gpu:0)", 40_us, 512);
  attribute_sketch();
  EXPECT_EQ(name(result_.memory_owners[0]), "phase");
  EXPECT_EQ(name(result_.memory_owners[1]), "op");
  EXPECT_EQ(name(result_.memory_owners[2]), "thread");
}

TEST_F(AttributionTest, the_files_own_word_on_memory_wins) {
  sketch_.slice("op", kOp, 0_us, 20_us)
      .slice("phase", SliceKind::kOperatorPhase, 5_us, 5_us)
      .memory(MemoryAction::kAllocate, "Place(gpu:0)", 7_us, 512)
      .memory_owned_by("op");
  attribute_sketch();
  EXPECT_EQ(name(result_.memory_owners[0]), "op");
}

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

// Node 1 launches the copy, node 2 inside it the kernel.
Trace copy_outside_and_kernel_inside() {
  return Sketch()
      .slice("outer", SliceKind::kOperator, 0_us, 20_us)
      .slice("inner", SliceKind::kOperator, 5_us, 10_us)
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
}

TEST(AttributedTraceTest, device_time_is_what_was_launched_at_any_depth) {
  const Trace trace = copy_outside_and_kernel_inside();
  const AttributedTrace input = attribute_trace(trace);
  EXPECT_EQ(input.kernel_ns(NodeId(1)), 50_us);
  EXPECT_EQ(input.device_ns(NodeId(1)), 57_us);
  EXPECT_EQ(input.device_ns(NodeId(2)), 50_us);
  EXPECT_EQ(input.device_ns(NodeId(0)), 57_us);
}

TEST(AttributedTraceTest, a_nodes_own_device_time_leaves_out_what_is_below) {
  const Trace trace = copy_outside_and_kernel_inside();
  const AttributedTrace input = attribute_trace(trace);
  EXPECT_EQ(input.own_device_ns(NodeId(0)), 0);
  EXPECT_EQ(input.own_device_ns(NodeId(1)), 7_us);
  EXPECT_EQ(input.own_device_ns(NodeId(2)), 50_us);
}

TEST(AttributedTraceTest, everything_counts) {
  const Trace trace = launches_from_a_thread(false);
  const AttributedTrace input = attribute_trace(trace);
  for (std::size_t work = 0; work < 3; ++work) EXPECT_TRUE(input.counts_work(work)) << work;
  for (std::size_t call = 0; call < 2; ++call) EXPECT_TRUE(input.counts_call(call)) << call;
}

TEST(AttributedTraceTest, compatible_tables_count_what_hangs_on_a_thread_only_if_steps_cover_all) {
  const Trace strict = launches_from_a_thread(false);
  const AttributedTrace skips = attribute_trace(strict, {}, TreeRules::kCompatible);
  EXPECT_FALSE(skips.counts_work(1));
  EXPECT_FALSE(skips.counts_call(1));
  EXPECT_TRUE(skips.counts_work(2)) << "orphans always count";
  const Trace generous = launches_from_a_thread(true);
  const AttributedTrace keeps = attribute_trace(generous, {}, TreeRules::kCompatible);
  EXPECT_TRUE(keeps.counts_work(1));
  EXPECT_TRUE(keeps.counts_call(1));
}

std::vector<std::int64_t> self_times(const Trace& trace) {
  return attribute_trace(trace).attribution.self_host_ns;
}

TEST(SelfTimeTest, the_innermost_open_range_has_the_time) {
  const Trace trace = Sketch()
                          .slice("a", kOp, 0, 100)
                          .slice("b", kOp, 10, 30)
                          .slice("c", kOp, 20, 5)
                          .slice("d", kOp, 50, 10)
                          .trace();
  EXPECT_THAT(self_times(trace), ElementsAre(0, 60, 25, 5, 10));
}

TEST(SelfTimeTest, of_ranges_that_cross_the_later_one_has_the_time_of_both) {
  const Trace trace = Sketch().slice("a", kOp, 0, 10).slice("b", kOp, 5, 10).trace();
  EXPECT_THAT(self_times(trace), ElementsAre(0, 5, 10));
}

TEST(SelfTimeTest, a_range_that_outlives_a_later_one_has_the_time_after_it) {
  // b ends below c, which crosses it; a is the innermost again from 30 on.
  const Trace trace =
      Sketch().slice("a", kOp, 0, 40).slice("b", kOp, 5, 10).slice("c", kOp, 10, 20).trace();
  EXPECT_THAT(self_times(trace), ElementsAre(0, 5 + 10, 5, 20));
}

TEST(SelfTimeTest, runtime_calls_have_their_time_and_a_call_in_a_call_has_it_once) {
  const Trace trace = Sketch()
                          .slice("op", kOp, 0, 100)
                          .slice("cudaLaunchKernel", kCall, 10, 20)
                          .slice("cuLaunchKernel", kCall, 12, 15)
                          .slice("cudaFree", kCall, 50, 5)
                          .trace();
  EXPECT_THAT(self_times(trace), ElementsAre(0, 75));
}

TEST(SelfTimeTest, a_call_across_the_border_of_two_ranges_is_taken_from_both) {
  const Trace trace = Sketch()
                          .slice("a", kOp, 0, 10)
                          .slice("b", kOp, 10, 10)
                          .slice("call", kCall, 8, 5)
                          .slice("outside", kCall, 30, 5)
                          .trace();
  EXPECT_THAT(self_times(trace), ElementsAre(0, 8, 7));
}

TEST(SelfTimeTest, calls_of_other_threads_do_not_matter) {
  const Trace trace =
      Sketch().thread(1).slice("a", kOp, 0, 10).thread(2).slice("call", kCall, 2, 5).trace();
  EXPECT_THAT(self_times(trace), ElementsAre(0, 10, 0));
}

TEST(SelfTimeTest, compatible_tables_have_their_own) {
  const Trace trace = Sketch().slice("a", kOp, 0, 10).trace();
  EXPECT_TRUE(attribute_trace(trace, {}, TreeRules::kCompatible).attribution.self_host_ns.empty());
}

}  // namespace

}  // namespace strobe::analysis
