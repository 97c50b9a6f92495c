#include <gtest/gtest.h>

#include "strobe/tensorboard/diff_view.h"
#include "tests/unit/tensorboard/forest_sketch.h"
#include "tests/unit/tensorboard/view_desk.h"

namespace strobe::tensorboard {
namespace {

class DiffTest : public ::testing::Test {
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

class DiffViewTest : public ::testing::Test {
 protected:
  DiffViewTest() {
    desk_.add("w", TraceLines()
                       .frame("nn.Module: A", 0, 50, 1, "null", "0")
                       .launch("aten::mm", 10, 20, "gemm", 15, 40)
                       .op("aten::add", 60, 5)
                       .op("aten::add", 70, 5)
                       .text());
    desk_.add("v", TraceLines().frame("nn.Module: A", 0, 30, 1, "null", "0").text());
  }

  Answer ask(std::string_view route, Parameters more = {}) {
    more.insert({{"exp_run", "run"}, {"exp_worker", "v"}, {"exp_span", "1"}});
    return desk_.ask(route, more);
  }

  ViewDesk desk_;
};

constexpr std::string_view kLeftA =
    R"({"name": "nn.Module: A", "duration": 50, "device_duration": 40, "total_duration": 40, )"
    R"("aggs": [{"name": "aten::mm", "calls": 1, "host_duration": 20, "device_duration": 40, )"
    R"("self_host_duration": 19, "self_device_duration": 40}]})";
constexpr std::string_view kRightA =
    R"({"name": "nn.Module: A", "duration": 30, "device_duration": 0, "total_duration": 30, )"
    R"("aggs": []})";

TEST_F(DiffViewTest, a_list_against_a_node_is_summed_and_not_divided) {
  EXPECT_EQ(ask("diff").body,
            R"({"left": {"name": "CompositeNodes", "duration": 60, "device_duration": 40, )"
            R"("total_duration": 50, "aggs": [{"name": "aten::mm", "calls": 1, )"
            R"("host_duration": 20, "device_duration": 40, "self_host_duration": 19, )"
            R"("self_device_duration": 40}, {"name": "aten::add", "calls": 2, )"
            R"("host_duration": 10, "device_duration": 0, "self_host_duration": 10, )"
            R"("self_device_duration": 0}]}, "right": )" +
                std::string(kRightA) + R"(, "children": []})");
}

TEST_F(DiffViewTest, a_path_leads_to_a_node_with_its_children_one_level_deep) {
  desk_.add("two", TraceLines()
                       .frame("nn.Module: A", 0, 30, 1, "null", "0")
                       .frame("nn.Module: B", 40, 30, 2, "null", "1")
                       .text());
  const Parameters two{{"exp_worker", "two"}};
  const std::string all = ask("diffnode", two).body;
  EXPECT_NE(all.find(R"("path": "0", "children": [{"left": )" + std::string(kLeftA) +
                     R"(, "right": )" + std::string(kRightA) + R"(, "path": "0-0"})"),
            std::string::npos)
      << all;
  const std::string first = ask("diffnode", {{"exp_worker", "two"}, {"path", "0-0"}}).body;
  EXPECT_EQ(first, R"({"left": )" + std::string(kLeftA) + R"(, "right": )" + std::string(kRightA) +
                       R"(, "path": "0-0", "children": []})");
  for (const std::string path : {"0-2", "1", "0-", "0-00", "0-x", "0--0", ""}) {
    EXPECT_EQ(ask("diffnode", {{"exp_worker", "two"}, {"path", path}}).status,
              path.empty() ? 200 : 404)
        << path;
  }
}

TEST_F(DiffViewTest, nothing_against_something_is_blank) {
  desk_.add("two", TraceLines()
                       .frame("nn.Module: A", 0, 30, 1, "null", "0")
                       .frame("nn.Module: B", 40, 30, 2, "null", "1")
                       .text());
  const std::string body = ask("diff", {{"worker", "v"}, {"exp_worker", "v"}}).body;
  EXPECT_EQ(member(body, "children"), "[]");
  desk_.add("one", TraceLines().op("x", 0, 1).frame("nn.Module: A", 5, 30, 1, "null", "0").text());
  const std::string blank = ask("diff", {{"worker", "one"}, {"exp_worker", "two"}}).body;
  EXPECT_NE(blank.find(R"("right": {"name": "Blank", "duration": 0, "device_duration": 0, )"
                       R"("total_duration": 0, "aggs": []})"),
            std::string::npos)
      << blank;
}

TEST_F(DiffViewTest, a_trace_without_a_tree_cannot_be_compared) {
  desk_.add("none", TraceLines().x("kernel", "k", 0, 5, R"("device":0)").text());
  EXPECT_EQ(ask("diff", {{"exp_worker", "none"}}).status, 404);
  EXPECT_EQ(ask("diffnode", {{"exp_worker", "none"}}).status, 404);
}

}  // namespace

}  // namespace strobe::tensorboard
