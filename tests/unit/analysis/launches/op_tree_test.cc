#include "strobe/analysis/launches/op_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

TEST(TimeSelectionTest, it_holds_what_starts_inside_and_not_at_the_end) {
  const TimeSelection selection({{10, 20}, {30, 40}});
  for (const std::int64_t inside : {10, 19, 30, 39}) EXPECT_TRUE(selection.holds(inside)) << inside;
  for (const std::int64_t outside : {9, 20, 29, 40}) {
    EXPECT_FALSE(selection.holds(outside)) << outside;
  }
}

TEST(TimeSelectionTest, everything_holds_everything_and_nothing_nothing) {
  EXPECT_TRUE(TimeSelection().holds(-5));
  EXPECT_TRUE(TimeSelection().is_everything());
  EXPECT_FALSE(TimeSelection(IntervalSet()).holds(0));
}

using namespace strobe::literals;
using ::testing::ElementsAre;

std::string name_of(const Trace& trace, const OpTree& tree, NodeId node) {
  return tree.is_thread(node) ? "thread" : std::string(trace.name(tree.slices[node.index()]));
}

std::string parent_of(const Trace& trace, const OpTree& tree, SliceId slice) {
  return name_of(trace, tree, tree.parents[find_node(trace, tree, slice).index()]);
}

std::vector<std::string> visited(const Trace& trace, const OpTree& tree) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < tree.size(); ++i)
    names.push_back(name_of(trace, tree, tree.node_at(i)));
  return names;
}

TEST(OpTreeTest, a_slice_inside_another_is_its_child) {
  Sketch sketch;
  sketch.slice("a", kOp, 0_us, 10_us).slice("b", kOp, 2_us, 3_us);
  const SliceId b = sketch.last();
  const Trace trace = sketch.trace();
  const OpTree tree = build_op_tree(trace);
  EXPECT_EQ(parent_of(trace, tree, b), "a");
}

TEST(OpTreeTest, touching_slices_are_siblings) {
  Sketch sketch;
  sketch.slice("a", kOp, 0_us, 10_us).slice("b", kOp, 10_us, 3_us);
  const SliceId b = sketch.last();
  const Trace trace = sketch.trace();
  const OpTree tree = build_op_tree(trace);
  EXPECT_EQ(parent_of(trace, tree, b), "thread");
  EXPECT_EQ(tree.crossings, 0u);
}

TEST(OpTreeTest, a_child_that_ends_after_its_parent_becomes_a_sibling) {
  Sketch sketch;
  sketch.slice("step", SliceKind::kStep, 0_us, 100_us)
      .slice("a", kOp, 10_us, 10_us)
      .slice("b", kOp, 15_us, 10_us);
  const SliceId b = sketch.last();
  const Trace trace = sketch.trace();
  const OpTree tree = build_op_tree(trace);
  EXPECT_EQ(parent_of(trace, tree, b), "step");
  EXPECT_EQ(tree.crossings, 1u);
  EXPECT_EQ(tree.crossed.size(), 1u);
}

TEST(OpTreeTest, of_two_slices_with_one_start_the_longer_is_the_parent) {
  Sketch sketch;
  sketch.slice("short", kOp, 0_us, 5_us);
  const SliceId small = sketch.last();
  sketch.slice("long", kOp, 0_us, 9_us);
  const Trace trace = sketch.trace();
  EXPECT_EQ(parent_of(trace, build_op_tree(trace), small), "long");
}

TEST(OpTreeTest, of_two_equal_slices_the_first_in_the_file_is_the_parent) {
  Sketch sketch;
  sketch.slice("first", kOp, 0_us, 5_us).slice("second", kOp, 0_us, 5_us);
  const SliceId second = sketch.last();
  const Trace trace = sketch.trace();
  EXPECT_EQ(parent_of(trace, build_op_tree(trace), second), "first");
}

TEST(OpTreeTest, file_order_does_not_matter_otherwise) {
  Sketch sketch;
  sketch.slice("c", kOp, 6_us, 2_us).slice("b", kOp, 2_us, 3_us);
  const SliceId b = sketch.last();
  sketch.slice("a", kOp, 0_us, 10_us);
  const Trace trace = sketch.trace();
  EXPECT_EQ(parent_of(trace, build_op_tree(trace), b), "a");
}

TEST(OpTreeTest, the_nesting_hint_decides_where_a_slice_ends) {
  // By its duration b would end 1 us after a; the writer's own times say it ends with a.
  Sketch sketch;
  sketch.slice("a", kOp, 0_us, 10_us).slice("b", kOp, 5_us, 6_us).nests_until(10_us);
  const SliceId b = sketch.last();
  const Trace trace = sketch.trace();
  EXPECT_EQ(parent_of(trace, build_op_tree(trace), b), "a");
}

TEST(OpTreeTest, only_the_classic_tables_visit_later_siblings_first) {
  const Trace trace = Sketch()
                          .slice("a", kOp, 0_us, 10_us)
                          .slice("a1", kOp, 1_us, 2_us)
                          .slice("a2", kOp, 4_us, 4_us)
                          .slice("a21", kOp, 5_us, 1_us)
                          .slice("b", kOp, 20_us, 5_us)
                          .slice("b1", kOp, 21_us, 1_us)
                          .trace();
  EXPECT_THAT(visited(trace, build_op_tree(trace)),
              ElementsAre("thread", "a", "a1", "a2", "a21", "b", "b1"));
  const OpTree classic = build_op_tree(trace, {}, TreeRules::kCompatible);
  EXPECT_THAT(visited(trace, classic), ElementsAre("thread", "b", "b1", "a", "a2", "a21", "a1"));
  for (std::uint32_t i = 0; i < classic.size(); ++i) {
    EXPECT_EQ(classic.position_of(classic.node_at(i)), i);
  }
}

TEST(OpTreeTest, the_node_of_a_slice_is_found_among_those_of_one_start) {
  Sketch sketch;
  sketch.slice("outer", kOp, 0_us, 10_us).slice("inner", kOp, 0_us, 5_us);
  sketch.slice("later", kOp, 7_us, 1_us).slice("frame", SliceKind::kPythonCall, 0_us, 9_us);
  sketch.stream(0, 7).slice("kernel", SliceKind::kKernel, 0_us, 1_us);
  const Trace trace = sketch.trace();
  const OpTree tree = build_op_tree(trace);
  const std::vector<NodeId> nodes = nodes_of_slices(trace, tree);
  ASSERT_EQ(nodes.size(), trace.slice_count());
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    const NodeId found = find_node(trace, tree, SliceId(i));
    EXPECT_EQ(found, nodes[i]);
    EXPECT_EQ(found.valid(), is_tree_kind(trace.kind(SliceId(i))));
    if (found.valid()) {
      EXPECT_EQ(tree.slices[found.index()], SliceId(i));
    }
  }
}

TEST(OpTreeTest, a_subtree_is_a_range_of_nodes) {
  Sketch sketch;
  sketch.slice("a", kOp, 0_us, 10_us).slice("a1", kOp, 1_us, 2_us).slice("b", kOp, 20_us, 5_us);
  const Trace trace = sketch.trace();
  const OpTree tree = build_op_tree(trace);
  // 0 thread, 1 a, 2 a1, 3 b
  EXPECT_EQ(tree.subtree_ends[0], NodeId(4));
  EXPECT_EQ(tree.subtree_ends[1], NodeId(3));
  EXPECT_EQ(tree.subtree_ends[2], NodeId(3));
  EXPECT_EQ(tree.subtree_ends[3], NodeId(4));
}

TEST(OpTreeTest, threads_come_by_process_then_by_number_not_by_text) {
  const Trace trace = Sketch()
                          .thread(10, 2)
                          .slice("p2 t10", kOp, 0_us, 1_us)
                          .thread(100, 1)
                          .slice("p1 t100", kOp, 0_us, 1_us)
                          .thread(9, 2)
                          .slice("p2 t9", kOp, 0_us, 1_us)
                          .trace();
  EXPECT_THAT(visited(trace, build_op_tree(trace)),
              ElementsAre("thread", "p1 t100", "thread", "p2 t9", "thread", "p2 t10"));
}

TEST(OpTreeTest, tracks_of_one_process_and_thread_share_a_tree) {
  Sketch sketch;
  sketch.track("9", TrackKind::kHostThread).slice("script", SliceKind::kStep, 0_us, 10_us);
  sketch.track("native 9", TrackKind::kOther).slice("native", kOp, 1_us, 2_us);
  const SliceId native = sketch.last();
  const Trace trace = sketch.trace();
  const OpTree tree = build_op_tree(trace);
  EXPECT_EQ(tree.threads.size(), 1u);
  EXPECT_EQ(parent_of(trace, tree, native), "script");
}

TEST(OpTreeTest, interpreter_frames_and_device_work_stay_outside) {
  const Trace trace = Sketch()
                          .slice("frame", SliceKind::kPythonCall, 0_us, 10_us)
                          .slice("op", kOp, 1_us, 2_us)
                          .stream(0, 7)
                          .slice("kernel", SliceKind::kKernel, 3_us, 1_us)
                          .trace();
  EXPECT_THAT(visited(trace, build_op_tree(trace)), ElementsAre("thread", "op"));
}

Trace nested_operators() {
  TraceTraits traits;
  traits.nested_operators_are_phases = true;
  return Sketch()
      .traits(traits)
      .slice("outer", kOp, 0_us, 10_us)
      .slice("range", SliceKind::kAnnotation, 1_us, 8_us)
      .slice("inner", kOp, 2_us, 3_us)
      .slice("below", SliceKind::kUserRange, 3_us, 1_us)
      .trace();
}

TEST(OpTreeTest, an_operator_is_one_at_every_depth) {
  const Trace trace = nested_operators();
  const OpTree tree = build_op_tree(trace);
  EXPECT_EQ(tree.rules, TreeRules::kStrobe);
  EXPECT_EQ(tree.roles[3], kOp);
  EXPECT_THAT(tree.operators, ElementsAre(NodeId(), NodeId(1), NodeId(1), NodeId(3), NodeId(3)));
}

TEST(OpTreeTest, compatible_trees_make_it_a_phase_where_traits_say_so) {
  const Trace trace = nested_operators();
  const OpTree tree = build_op_tree(trace, {}, TreeRules::kCompatible);
  EXPECT_EQ(tree.rules, TreeRules::kCompatible);
  EXPECT_THAT(tree.roles, ElementsAre(SliceKind::kOther, kOp, SliceKind::kAnnotation,
                                      SliceKind::kOperatorPhase, SliceKind::kUserRange));
  EXPECT_EQ(tree.operators[4], NodeId(1));
}

TEST(OpTreeTest, the_outermost_operator_is_the_last_on_the_way_up) {
  const Trace trace = nested_operators();
  const OpTree tree = build_op_tree(trace);
  EXPECT_EQ(tree.outermost_operator(NodeId(4)), NodeId(1));
  EXPECT_EQ(tree.outermost_operator(NodeId(1)), NodeId(1));
  EXPECT_FALSE(tree.outermost_operator(NodeId(0)).valid());
}

TEST(OpTreeTest, without_that_trait_the_innermost_operator_stays_one) {
  const Trace trace =
      Sketch().slice("outer", kOp, 0_us, 10_us).slice("inner", kOp, 2_us, 3_us).trace();
  const OpTree tree = build_op_tree(trace, {}, TreeRules::kCompatible);
  EXPECT_EQ(tree.roles[2], kOp);
  EXPECT_EQ(tree.operators[2], NodeId(2));
}

// Times rounded to microseconds, as older profilers wrote them.
class RoundedTimesTest : public ::testing::Test {
 protected:
  // A slice whose id counts up as slices start.
  void add(const std::string& name, std::int64_t start_ns, std::int64_t duration_ns,
           std::uint32_t id) {
    sketch_.slice(name, kOp, start_ns, duration_ns).external(id);
  }
  std::string parent(std::string_view name, TreeRules rules = TreeRules::kStrobe) {
    if (trace_.slice_count() == 0) trace_ = sketch_.trace();
    for (std::size_t row = 0; row < trace_.slice_count(); ++row) {
      const SliceId slice(row);
      if (trace_.name(slice) == name) {
        return parent_of(trace_, build_op_tree(trace_, {}, rules), slice);
      }
    }
    return "no such slice";
  }

  Sketch sketch_;
  Trace trace_;
};

TEST_F(RoundedTimesTest, an_empty_slice_at_the_start_of_another_is_inside_it) {
  add("outer", 5_us, 3_us, 1);
  add("empty", 5_us, 0, 2);
  EXPECT_EQ(parent("empty"), "outer");
}

TEST_F(RoundedTimesTest, an_empty_slice_that_started_before_it_is_not) {
  add("empty", 5_us, 0, 1);
  add("later", 5_us, 3_us, 2);
  EXPECT_EQ(parent("empty"), "thread");
}

TEST_F(RoundedTimesTest, empty_slices_of_one_time_nest_as_they_started) {
  add("aten::t", 5_us, 0, 1);
  add("aten::transpose", 5_us, 0, 2);
  add("aten::as_strided", 5_us, 0, 3);
  EXPECT_EQ(parent("aten::as_strided"), "aten::transpose");
}

TEST_F(RoundedTimesTest, without_ids_they_are_siblings) {
  sketch_.slice("a", kOp, 5_us, 0).slice("b", kOp, 5_us, 0);
  EXPECT_EQ(parent("b"), "thread");
}

TEST_F(RoundedTimesTest, compatible_trees_know_only_times) {
  add("aten::t", 5_us, 0, 1);
  add("aten::transpose", 5_us, 0, 2);
  EXPECT_EQ(parent("aten::transpose", TreeRules::kCompatible), "thread");
}

TEST_F(RoundedTimesTest, at_the_end_of_another_an_empty_slice_is_a_sibling_if_nothing_else_tells) {
  add("outer", 0_us, 5_us, 1);
  add("empty", 5_us, 0, 2);
  EXPECT_EQ(parent("empty"), "thread");
}

// A file in the order of ends, ids in the order of starts: together they tell all.
TEST_F(RoundedTimesTest, a_file_in_the_order_of_ends_tells_what_is_inside) {
  add("inside", 5_us, 0, 3);
  add("middle", 2_us, 3_us, 2);
  add("outer", 0_us, 5_us, 1);
  add("behind", 5_us, 0, 4);
  EXPECT_EQ(parent("inside"), "middle");
  EXPECT_EQ(parent("middle"), "outer");
  EXPECT_EQ(parent("behind"), "thread");
}

TEST_F(RoundedTimesTest, such_a_file_also_tells_empty_siblings_from_nested_ones) {
  add("first", 5_us, 0, 2);
  add("second", 5_us, 0, 3);
  add("around both", 5_us, 0, 1);
  add("nested", 7_us, 1_us, 5);
  add("outer", 6_us, 2_us, 4);
  EXPECT_EQ(parent("first"), "around both");
  EXPECT_EQ(parent("second"), "around both");
}

TEST_F(RoundedTimesTest, of_two_equal_slices_the_first_to_start_is_the_parent) {
  add("inner", 0_us, 5_us, 2);
  add("outer", 0_us, 5_us, 1);
  EXPECT_EQ(parent("inner"), "outer");
}

TEST(OpTreeTest, a_selection_keeps_what_starts_inside_it) {
  const Trace trace = Sketch()
                          .slice("before", kOp, 0_us, 30_us)
                          .slice("inside", kOp, 10_us, 5_us)
                          .slice("at its end", kOp, 20_us, 5_us)
                          .trace();
  const OpTree tree = build_op_tree(trace, TimeSelection({{10_us, 20_us}}));
  EXPECT_THAT(visited(trace, tree), ElementsAre("thread", "inside"));
}

TEST(OpTreeTest, an_empty_trace_has_an_empty_tree) {
  const Trace trace = Sketch().trace();
  EXPECT_EQ(build_op_tree(trace).size(), 0u);
}

// On an asynchronous track ranges do not call each other, even if one is inside another; a thread
// of the same name is kept apart from it.
TEST(OpTreeTest, every_slice_of_an_asynchronous_track_stands_alone) {
  Sketch sketch;
  sketch.thread(2).slice("frame", SliceKind::kAnnotation, 0_us, 100_us);
  sketch.track("2", TrackKind::kAsync).slice("fetch", SliceKind::kAnnotation, 5_us, 80_us);
  sketch.slice("inner", SliceKind::kAnnotation, 10_us, 20_us);
  const SliceId inner = sketch.last();
  sketch.slice("crossing", SliceKind::kAnnotation, 20_us, 200_us);
  const SliceId crossing = sketch.last();
  const Trace trace = sketch.trace();
  const OpTree tree = build_op_tree(trace);
  ASSERT_EQ(tree.threads.size(), 2u);
  EXPECT_FALSE(tree.threads[0].is_async);
  EXPECT_TRUE(tree.threads[1].is_async);
  EXPECT_EQ(parent_of(trace, tree, inner), "thread");
  EXPECT_EQ(parent_of(trace, tree, crossing), "thread");
  EXPECT_EQ(tree.crossings, 0u);
  EXPECT_THAT(visited(trace, tree),
              ElementsAre("thread", "frame", "thread", "fetch", "inner", "crossing"));
}

}  // namespace

}  // namespace strobe::analysis
