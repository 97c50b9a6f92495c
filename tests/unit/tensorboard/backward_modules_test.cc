#include "strobe/tensorboard/backward_modules.h"

#include <gtest/gtest.h>

#include "tests/unit/tensorboard/forest_sketch.h"

namespace strobe::tensorboard {
namespace {

constexpr std::string_view kAccumulateGrad = "torch::autograd::AccumulateGrad";

class BackwardModulesTest : public ::testing::Test {
 protected:
  void add(Variant variant = Variant::kGpu) {
    add_backward_modules(sketch_.links, sketch_.events, rules_of(variant));
  }
  const Node& node(std::string_view name) {
    const StringId id = sketch_.events.texts.find(name);
    for (const Node& node : sketch_.links.forest.nodes) {
      if (id.valid() && node.name == id) return node;
    }
    ADD_FAILURE() << "no node is called " << name;
    return sketch_.links.forest.nodes.front();
  }

  ForestSketch sketch_;
};

TEST_F(BackwardModulesTest, engine_nodes_move_below_the_module_of_their_forward_operator) {
  const NodeId root = sketch_.tree(1);
  const NodeId net = sketch_.module(root, "Net", 0, 50);
  const NodeId linear = sketch_.module(net, "Linear", 5, 20);
  sketch_.add(linear, "aten::mm", 6, 10);
  sketch_.add(net, "aten::relu", 30, 40);
  sketch_.add(sketch_.engine(root, "Relu", 60, 69), "ReluBackward", 61, 65);
  sketch_.add(sketch_.engine(root, "Mm", 70, 79), "MmBackward", 71, 75);
  sketch_.add(root, "end", 90, 95);
  sketch_.flow(6, 71);
  sketch_.flow(30, 61);
  add();
  EXPECT_EQ(sketch_.text(),
            "root[Net[Linear[mm] relu] "
            "Net.backward[Relu[ReluBackward] Linear.backward[Mm[MmBackward]]] end]");
}

TEST_F(BackwardModulesTest, a_backward_node_ends_where_its_last_child_ends) {
  const NodeId root = sketch_.tree(1);
  const NodeId net = sketch_.module(root, "Net", 0, 50);
  sketch_.add(net, "aten::mm", 6, 10);
  sketch_.add(net, "aten::relu", 30, 40);
  sketch_.add(root, "wait", 55, 200);
  const NodeId engine = sketch_.tree(2);
  const NodeId longest = sketch_.engine(engine, "Relu", 60, 100);
  sketch_.add(longest, "ReluBackward", 61, 65);
  sketch_.links.forest[longest].device_total = Number::whole(7);
  sketch_.links.forest[longest].is_eligible = true;
  sketch_.add(sketch_.engine(engine, "Mm", 70, 79), "MmBackward", 71, 75);
  sketch_.flow(6, 71);
  sketch_.flow(30, 61);
  add();
  const Node& made = node("Net.backward");
  EXPECT_EQ(made.start, Number::whole(60));
  EXPECT_EQ(made.end, Number::whole(79));
  EXPECT_EQ(made.host_self, Number::whole(19 - 40 - 9));
  EXPECT_EQ(made.device_total, Number::whole(7));
  EXPECT_TRUE(made.is_eligible);
  EXPECT_EQ(sketch_.events.text(made.tid), "2");
}

TEST_F(BackwardModulesTest, accumulating_a_gradient_belongs_to_the_engine_node_before_it) {
  const NodeId root = sketch_.tree(1);
  sketch_.add(sketch_.module(root, "Net", 0, 50), "aten::mm", 6, 10);
  sketch_.add(sketch_.engine(root, "Mm", 70, 79), "MmBackward", 71, 75);
  sketch_.engine(root, kAccumulateGrad, 80, 85);
  sketch_.engine(root, "Other", 86, 87);
  sketch_.flow(6, 71);
  add();
  EXPECT_EQ(sketch_.text(),
            "root[Net[mm] Net.backward[Mm[MmBackward] torch::autograd::AccumulateGrad]]");
}

TEST_F(BackwardModulesTest, accumulating_a_gradient_first_in_line_is_a_group_of_its_own) {
  const NodeId root = sketch_.tree(1);
  sketch_.add(sketch_.module(root, "Net", 0, 50), "aten::mm", 6, 10);
  sketch_.add(sketch_.engine(root, kAccumulateGrad, 60, 65), "add", 61, 62);
  sketch_.flow(6, 61);
  add();
  EXPECT_EQ(sketch_.text(), "root[Net[mm] Net.backward[torch::autograd::AccumulateGrad[add]]]");
}

TEST_F(BackwardModulesTest, of_two_flows_into_one_engine_node_the_first_wins) {
  const NodeId root = sketch_.tree(1);
  sketch_.add(sketch_.module(root, "A", 0, 20), "aten::mm", 6, 10);
  sketch_.add(sketch_.module(root, "B", 20, 40), "aten::mm", 26, 30);
  sketch_.add(sketch_.engine(root, "Mm", 70, 79), "MmBackward", 71, 75);
  sketch_.flow(26, 71);
  sketch_.flow(6, 71);
  add(Variant::kMluB);
  EXPECT_EQ(sketch_.text(), "root[A[mm] B[mm] B.backward[Mm[MmBackward]]]");
}

TEST_F(BackwardModulesTest, a_group_belongs_to_every_operator_that_starts_at_its_forward_time) {
  const NodeId root = sketch_.tree(1);
  const NodeId linear = sketch_.add(sketch_.module(root, "Net", 0, 50), "aten::linear", 6, 10);
  sketch_.add(linear, "aten::addmm", 6, 9);
  sketch_.add(sketch_.engine(root, "Mm", 70, 79), "MmBackward", 71, 75);
  sketch_.flow(6, 71);
  add();
  EXPECT_EQ(sketch_.text(), "root[Net[linear[addmm]] Net.backward[Mm[MmBackward] Mm[MmBackward]]]");
}

TEST_F(BackwardModulesTest, without_flows_or_modules_or_engine_nodes_nothing_changes) {
  const NodeId root = sketch_.tree(1);
  sketch_.add(root, "aten::mm", 6, 10);
  sketch_.add(sketch_.engine(root, "Mm", 70, 79), "MmBackward", 71, 75);
  sketch_.flow(6, 71);
  sketch_.tree(2);
  const std::string before = sketch_.text();
  add();
  EXPECT_EQ(sketch_.text(), before);
  EXPECT_EQ(sketch_.links.forest.trees.size(), 2u);
}

TEST_F(BackwardModulesTest, without_a_match_engine_nodes_are_gone_and_nothing_takes_their_place) {
  const NodeId root = sketch_.tree(1);
  sketch_.add(sketch_.module(root, "Net", 0, 50), "aten::mm", 6, 10);
  sketch_.engine(sketch_.tree(2), "Mm", 70, 79);
  sketch_.flow(6, 71);
  add();
  EXPECT_EQ(sketch_.text(), "root[Net[mm]]");
  EXPECT_EQ(sketch_.links.forest.trees.size(), 1u) << "a tree without children is dropped";
}

TEST_F(BackwardModulesTest, only_roots_and_steps_are_searched) {
  const NodeId root = sketch_.tree(1);
  const NodeId step = sketch_.step(root, 1, 0, 100);
  sketch_.add(sketch_.module(step, "Net", 0, 50), "aten::mm", 6, 10);
  sketch_.add(sketch_.engine(step, "Mm", 60, 65), "MmBackward", 61, 62);
  const NodeId backward = sketch_.add(step, "backward", 70, 90);
  sketch_.engine(backward, "Hidden", 71, 79);
  sketch_.flow(6, 61);
  add();
  EXPECT_EQ(sketch_.text(),
            "root[ProfilerStep#1[Net[mm] Net.backward[Mm[MmBackward]] backward[Hidden]]]");
}

TEST_F(BackwardModulesTest,
       a_module_without_backward_work_keeps_its_times_or_has_none_or_is_dropped) {
  for (const Variant variant : {Variant::kGpu, Variant::kMluA, Variant::kMluB, Variant::kMluC}) {
    sketch_ = ForestSketch();
    const NodeId root = sketch_.tree(1);
    const NodeId net = sketch_.module(root, "Net", 0, 50);
    sketch_.add(net, "aten::mm", 6, 10);
    sketch_.module(net, "Dropout", 20, 30);
    sketch_.add(sketch_.engine(root, "Mm", 70, 79), "MmBackward", 71, 75);
    sketch_.flow(6, 71);
    add(variant);
    if (variant == Variant::kGpu) {
      // It starts before the engine's nodes and comes first; the group begins with it.
      EXPECT_EQ(node("Dropout.backward").start, Number::whole(20));
      EXPECT_EQ(node("Net.backward").start, Number::whole(20));
      EXPECT_EQ(sketch_.text(node("Net.backward").children.front()), "Dropout.backward");
    } else if (variant == Variant::kMluA) {
      EXPECT_EQ(sketch_.text(),
                "root[Net[mm Dropout] Net.backward[Mm[MmBackward] Dropout.backward]]");
      EXPECT_FALSE(node("Dropout.backward").has_times);
      EXPECT_EQ(sketch_.events.text(node("Dropout.backward").tid), "0");
      EXPECT_EQ(node("Net.backward").end, Number::whole(79));
    } else {
      EXPECT_EQ(sketch_.text(), "root[Net[mm Dropout] Net.backward[Mm[MmBackward]]]");
    }
  }
}

TEST_F(BackwardModulesTest, the_place_is_kept_from_one_insertion_to_the_next) {
  const NodeId root = sketch_.tree(1);
  for (int i = 0; i < 3; ++i) {
    const double t = 100.0 * i;
    const NodeId step = sketch_.step(root, i, t, t + 90);
    sketch_.add(sketch_.module(step, "Net" + std::to_string(i), t, t + 20), "aten::mm", t + 6,
                t + 10);
    sketch_.add(step, "wait", t + 60, t + 80);
  }
  const NodeId engine = sketch_.tree(2);
  for (int i = 0; i < 3; ++i) {
    const double t = 100.0 * i + 30;
    sketch_.add(sketch_.engine(engine, "Mm" + std::to_string(i), t, t + 10), "MmBackward", t + 1,
                t + 2);
    sketch_.flow(100.0 * i + 6, t + 1);
  }
  add();
  EXPECT_EQ(sketch_.text(),
            "root[ProfilerStep#0[Net0[mm] Net0.backward[Mm0[MmBackward]] wait] "
            "ProfilerStep#1[Net1[mm] Net1.backward[Mm1[MmBackward]] wait] "
            "ProfilerStep#2[Net2[mm] Net2.backward[Mm2[MmBackward]] wait]]");
}

TEST_F(BackwardModulesTest, a_node_stands_beside_the_one_inserted_before_it) {
  const NodeId root = sketch_.tree(1);
  sketch_.add(sketch_.module(root, "A", 0, 20), "aten::mm", 6, 10);
  sketch_.add(sketch_.module(root, "B", 20, 40), "aten::mm", 26, 30);
  sketch_.add(root, "end", 200, 210);
  sketch_.add(sketch_.engine(sketch_.tree(2), "First", 60, 80), "FirstBackward", 61, 62);
  sketch_.add(sketch_.engine(sketch_.tree(3), "Second", 70, 90), "SecondBackward", 71, 72);
  sketch_.flow(6, 61);
  sketch_.flow(26, 71);
  add();
  EXPECT_EQ(sketch_.text(),
            "root[A[mm] B[mm] A.backward[First[FirstBackward]] "
            "B.backward[Second[SecondBackward]] end]");
}

TEST_F(BackwardModulesTest, a_node_goes_into_the_child_it_overlaps) {
  const NodeId root = sketch_.tree(1);
  sketch_.add(sketch_.module(root, "Net", 0, 50), "aten::mm", 6, 10);
  const NodeId wait = sketch_.add(root, "loss.backward", 60, 75);
  sketch_.add(wait, "inner", 61, 62);
  sketch_.add(sketch_.engine(sketch_.tree(2), "Mm", 70, 79), "MmBackward", 71, 75);
  sketch_.flow(6, 71);
  add();
  EXPECT_EQ(sketch_.text(), "root[Net[mm] loss.backward[inner Net.backward[Mm[MmBackward]]]]");
}

TEST_F(BackwardModulesTest, what_lies_outside_of_the_main_tree_is_discarded) {
  const NodeId root = sketch_.tree(1);
  sketch_.add(sketch_.module(root, "A", 0, 20), "aten::mm", 6, 10);
  sketch_.add(sketch_.module(root, "B", 20, 40), "aten::mm", 26, 30);
  const NodeId engine = sketch_.tree(2);
  sketch_.add(sketch_.engine(engine, "Late", 50, 55), "LateBackward", 51, 52);
  sketch_.add(sketch_.engine(engine, "Later", 60, 65), "LaterBackward", 61, 62);
  sketch_.flow(6, 51);
  sketch_.flow(26, 61);
  add();
  EXPECT_EQ(sketch_.text(), "root[A[mm] B[mm]]");
}

TEST_F(BackwardModulesTest, without_steps_the_longest_thread_but_the_engines_is_the_main_one) {
  const NodeId engine = sketch_.tree(7);
  const NodeId first = sketch_.tree(1);
  const NodeId second = sketch_.tree(2);
  sketch_.add(sketch_.engine(engine, "Mm", 70, 5000), "MmBackward", 71, 75);
  sketch_.add(first, "a", 0, 5);
  sketch_.add(sketch_.module(second, "Net", 0, 50), "aten::mm", 6, 10);
  sketch_.add(second, "last", 60, 900);
  sketch_.flow(6, 71);
  add();
  EXPECT_EQ(sketch_.text(second), "root[Net[mm] last[Net.backward[Mm[MmBackward]]]]");
}

TEST_F(BackwardModulesTest, the_last_thread_with_steps_is_the_main_one) {
  const NodeId first = sketch_.tree(1);
  const NodeId last = sketch_.tree(2);
  const NodeId longest = sketch_.tree(3);
  sketch_.add(sketch_.step(first, 1, 0, 500), "a", 0, 5);
  sketch_.add(sketch_.step(last, 1, 0, 100), "a", 0, 5);
  sketch_.add(sketch_.module(longest, "Net", 0, 9000), "aten::mm", 6, 10);
  sketch_.add(sketch_.engine(longest, "Mm", 50, 55), "MmBackward", 51, 52);
  sketch_.flow(6, 51);
  add();
  EXPECT_EQ(sketch_.text(first), "root[ProfilerStep#1[a]]");
  EXPECT_EQ(sketch_.text(last), "root[ProfilerStep#1[a Net.backward[Mm[MmBackward]]]]");
  EXPECT_EQ(sketch_.text(longest), "root[Net[mm]]");
}

TEST_F(BackwardModulesTest, nesting_may_be_very_deep) {
  constexpr int kDepth = 200000;
  const NodeId root = sketch_.tree(1);
  NodeId deepest = sketch_.module(root, "Net", 0, 4.0 * kDepth);
  for (int i = 1; i < kDepth; ++i) deepest = sketch_.module(deepest, "Net", i, 4.0 * kDepth - i);
  sketch_.add(deepest, "aten::mm", kDepth, kDepth + 1);
  sketch_.add(sketch_.engine(root, "Mm", 5.0 * kDepth, 6.0 * kDepth), "MmBackward",
              5.0 * kDepth + 1, 5.0 * kDepth + 2);
  sketch_.flow(kDepth, 5.0 * kDepth + 1);
  add();
  EXPECT_EQ(node("Net.backward").start, Number::whole(5.0 * kDepth));
}

}  // namespace
}  // namespace strobe::tensorboard
