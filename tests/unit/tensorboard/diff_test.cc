#include "strobe/tensorboard/diff.h"

#include <gtest/gtest.h>

#include "tests/unit/tensorboard/forest_sketch.h"

namespace strobe::tensorboard {
namespace {

class DiffTest : public testing::Test {
 protected:
  struct Side {
    ForestSketch sketch;
    NodeId root = sketch.tree(1);
  };

  // Every row as "left|right", children in brackets.
  std::string compare() {
    const Profile left = profile(std::move(left_.sketch));
    const Profile right = profile(std::move(right_.sketch));
    const auto rows = compare_trees(left, right);
    return text(rows, 0, left, right);
  }

  Side left_;
  Side right_;

 private:
  static Profile profile(ForestSketch sketch) {
    Profile profile;
    profile.links = std::move(sketch.links);
    profile.events = std::move(sketch.events);
    return profile;
  }
  static std::string side(const DiffSide& nodes, const Profile& profile) {
    std::string out;
    for (const NodeId id : nodes) {
      if (!out.empty()) out += '+';
      out += profile.events.text(profile.forest()[id].name);
    }
    return out;
  }
  static std::string text(const std::vector<DiffNode>& rows, std::size_t row, const Profile& left,
                          const Profile& right) {
    std::string out = side(rows[row].left, left) + "|" + side(rows[row].right, right);
    if (rows[row].children.empty()) return out;
    out += "[";
    for (const std::size_t child : rows[row].children) {
      if (out.back() != '[') out += " ";
      out += text(rows, child, left, right);
    }
    return out + "]";
  }
};

TEST_F(DiffTest, trees_are_cut_at_modules_of_the_same_name) {
  for (Side* side : {&left_, &right_}) {
    side->sketch.add(side->root, "x", 0, 1);
    side->sketch.module(side->root, "A", 2, 5);
    side->sketch.add(side->root, "y", 6, 7);
  }
  right_.sketch.add(right_.root, "z", 8, 9);
  EXPECT_EQ(compare(), "x+A+y|x+A+y+z[x|x A|A y|y+z]");
}

TEST_F(DiffTest, a_left_node_pairs_with_the_first_right_node_not_yet_passed) {
  left_.sketch.module(left_.root, "A", 0, 1);
  left_.sketch.module(left_.root, "B", 2, 3);
  left_.sketch.module(left_.root, "A", 4, 5);
  right_.sketch.module(right_.root, "B", 0, 1);
  right_.sketch.module(right_.root, "A", 2, 3);
  right_.sketch.module(right_.root, "B", 4, 5);
  EXPECT_EQ(compare(), "A+B+A|B+A+B[|B A|A B|B A|]");
}

TEST_F(DiffTest, without_a_pair_nothing_is_cut) {
  left_.sketch.module(left_.root, "A", 0, 1);
  left_.sketch.add(left_.root, "x", 2, 3);
  right_.sketch.add(right_.root, "A", 0, 1);
  right_.sketch.add(right_.root, "x", 2, 3);
  EXPECT_EQ(compare(), "A+x|A+x") << "the class has to be the same too";
}

TEST_F(DiffTest, steps_are_looked_through_and_a_list_of_one_is_that_node) {
  for (Side* side : {&left_, &right_}) {
    side->sketch.add(side->root, "outside", 0, 1);
    const NodeId net = side->sketch.module(side->sketch.step(side->root, 1, 2, 50), "Net", 3, 40);
    side->sketch.module(net, "Linear", 4, 10);
  }
  EXPECT_EQ(compare(), "Net|Net[Linear|Linear]");
}

TEST_F(DiffTest, a_node_against_a_list_is_not_cut) {
  left_.sketch.module(left_.root, "A", 0, 1);
  right_.sketch.module(right_.root, "A", 0, 1);
  right_.sketch.module(right_.root, "A", 2, 3);
  EXPECT_EQ(compare(), "A|A+A");
}

}  // namespace
}  // namespace strobe::tensorboard
