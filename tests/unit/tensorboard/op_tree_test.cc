#include "strobe/tensorboard/op_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/tensorboard/profile.h"
#include "tests/unit/tensorboard/view_desk.h"

namespace strobe::tensorboard {
namespace {

using ::testing::ElementsAre;

// A tree as "root(a(b c) d)".
std::string drawn(const Profile& profile, NodeId root) {
  std::string text;
  const Forest& forest = profile.forest();
  walk(
      forest, root,
      [&](NodeId id) {
        if (!text.empty() && text.back() != '(') text += ' ';
        text += profile.events.text(forest[id].name);
        text += '(';
        return true;
      },
      [&](NodeId) {
        if (text.back() == '(') {
          text.pop_back();
        } else {
          text += ')';
        }
      });
  return text;
}

class OpTreeTest : public ::testing::Test {
 protected:
  const Profile& read(const TraceLines& lines) {
    auto profile = read_profile(lines.text());
    EXPECT_TRUE(profile);
    profile_ = *profile;
    return *profile_;
  }
  const Node& node(std::string_view name) const {
    for (const Node& candidate : profile_->forest().nodes) {
      if (profile_->events.text(candidate.name) == name) return candidate;
    }
    ADD_FAILURE() << "no node " << name;
    return profile_->forest().nodes[0];
  }

  std::shared_ptr<const Profile> profile_;
};

TEST_F(OpTreeTest, nodes_nest_by_time_and_the_longest_of_those_that_start_together_is_outside) {
  const Profile& profile =
      read(TraceLines().op("inner", 1, 2).op("outer", 1, 9).op("next", 10, 5).op("late", 12, 1));
  EXPECT_EQ(drawn(profile, profile.forest().trees[0].root),
            "CallTreeRoot(outer(inner) next(late))");
}

TEST_F(OpTreeTest, what_ends_after_the_node_around_it_is_dropped_and_its_children_go_one_up) {
  const Profile& profile =
      read(TraceLines().op("outer", 0, 10).op("overlaps", 5, 10).op("child", 6, 2));
  EXPECT_EQ(drawn(profile, profile.forest().trees[0].root), "CallTreeRoot(outer(child))");
}

TEST_F(OpTreeTest, a_node_at_the_end_of_another_is_its_neighbour) {
  const Profile& profile = read(TraceLines().op("a", 0, 10).op("b", 10, 0));
  EXPECT_EQ(drawn(profile, profile.forest().trees[0].root), "CallTreeRoot(a b)");
}

TEST_F(OpTreeTest, an_operator_that_only_calls_itself_is_one_operator_and_its_own_calls_are_lost) {
  const Profile& profile =
      read(TraceLines()
               .op("aten::to", 0, 20, R"("External id":1)")
               .op("aten::to", 1, 18, R"("External id":2)")
               .op("aten::to", 2, 16, R"("External id":3)")
               .op("aten::copy_", 3, 4)
               .x("cuda_runtime", "lost", 0, 1, R"("External id":1,"correlation":1)")
               .x("cuda_runtime", "kept", 9, 2, R"("External id":3,"correlation":2)"));
  EXPECT_EQ(drawn(profile, profile.forest().trees[0].root), "CallTreeRoot(aten::to(aten::copy_))");
  EXPECT_EQ(node("aten::to").host_self, Number::whole(20 - 4 - 2));
}

TEST_F(OpTreeTest, self_time_is_what_children_and_own_calls_leave_and_may_be_negative) {
  read(TraceLines()
           .op("parent", 0, 10, R"("External id":1)")
           .op("child", 1, 4)
           .x("cuda_runtime", "call", 2, 8, R"("External id":1,"correlation":1)"));
  EXPECT_EQ(node("parent").host_self, Number::whole(10 - 4 - 8));
}

TEST_F(OpTreeTest, device_time_is_summed_upwards) {
  read(TraceLines()
           .op("aten::linear", 0, 50)
           .launch("aten::addmm", 1, 10, "volta_h884gemm", 100, 30)
           .launch("aten::add", 20, 10, "elementwise", 140, 5));
  EXPECT_EQ(node("aten::linear").device_total, Number::whole(35));
  EXPECT_EQ(node("aten::linear").device_self, Number::whole(0));
  EXPECT_EQ(node("aten::linear").tensor_core_total, Number::whole(30));
  EXPECT_EQ(node("aten::addmm").tensor_core_self, Number::whole(30));
  EXPECT_FALSE(node("aten::add").is_eligible);
}

TEST_F(OpTreeTest, an_operator_is_eligible_by_name_by_its_children_or_by_its_kernels) {
  read(TraceLines()
           .op("outer", 0, 30)
           .launch("custom", 1, 10, "cutlass_16816gemm", 100, 30)
           .op("plain", 40, 5));
  EXPECT_TRUE(node("custom").is_eligible);
  EXPECT_TRUE(node("outer").is_eligible);
  EXPECT_FALSE(node("plain").is_eligible);
  EXPECT_FALSE(profile_->forest().device_works[0].op_is_eligible);  // its launcher's name is not
}

TEST_F(OpTreeTest, stale_kernels_hang_on_the_root_of_every_thread_with_steps) {
  const Profile& profile = read(TraceLines()
                                    .step(1, 0, 10)
                                    .op("worker", 0, 5, "", "2")
                                    .x("kernel", "k", 3, 4, R"("correlation":9)", "7", "0"));
  ASSERT_EQ(profile.forest().trees.size(), 2u);
  EXPECT_EQ(profile.forest()[profile.forest().trees[0].root].device_self, Number::whole(4));
  EXPECT_EQ(profile.forest()[profile.forest().trees[1].root].device_self, Number::whole(0));
  EXPECT_EQ(profile.launched_kernels.at(0).op_name, "CallTreeRoot");
}

TEST_F(OpTreeTest, a_module_counts_its_operators_device_time_as_its_own) {
  read(TraceLines()
           .frame("nn.Module: Linear_0", 0, 40, 1, "null", "0")
           .launch("aten::mm", 1, 10, "gemm", 100, 30));
  EXPECT_EQ(node("nn.Module: Linear_0").device_self, Number::whole(30));
}

TEST_F(OpTreeTest, nesting_is_as_deep_as_it_likes) {
  TraceLines lines;
  constexpr int kDepth = 20000;
  for (int i = 0; i < kDepth; ++i) lines.op("op" + std::to_string(i), i, 2 * kDepth - 2 * i);
  const Profile& profile = read(lines);
  EXPECT_EQ(profile.order.operators.size(), static_cast<std::size_t>(kDepth));
}

}  // namespace
}  // namespace strobe::tensorboard
