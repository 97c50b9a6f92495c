#include <gtest/gtest.h>

#include "tests/unit/tensorboard/view_desk.h"

namespace strobe::tensorboard {
namespace {

TEST(TreeViewTest, the_first_tree_is_told_with_the_threads_as_the_file_writes_them) {
  ViewDesk desk;
  desk.add("w",
           TraceLines()
               .op("aten::mm", 10, 5, "", "\"7\"")
               .x("python_function", "nn.Module: A", 20, 5.5, R"("Python module id":1)", "\"7\"")
               .op("other", 0, 5, "", "8")
               .text());
  EXPECT_EQ(desk.body("tree"),
            R"({"name": "CallTreeRoot", "start_time": 0, "end_time": 5, "type": "Python", )"
            R"("tid": 8, "children": [{"name": "other", "start_time": 0, "end_time": 5, )"
            R"("type": "Operator", "tid": 8, "children": []}]})");

  ViewDesk quoted;
  quoted.add("w",
             TraceLines()
                 .op("aten::mm", 10, 5, "", "\"7\"")
                 .x("python_function", "nn.Module: A", 20, 5.5, R"("Python module id":1)", "\"7\"")
                 .text());
  EXPECT_EQ(quoted.body("tree"),
            R"({"name": "CallTreeRoot", "start_time": 10, "end_time": 25.5, "type": "Python", )"
            R"("tid": 7, "children": [{"name": "aten::mm", "start_time": 10, "end_time": 15, )"
            R"("type": "Operator", "tid": "7", "children": []}, {"name": "nn.Module: A", )"
            R"("start_time": 20, "end_time": 25.5, "type": "Module", "tid": "7", )"
            R"("children": []}]})");
}

TEST(TreeViewTest, of_lightning_it_is_the_tree_of_its_own_profiler) {
  ViewDesk desk;
  desk.add("w", TraceLines()
                    .op("aten::mm", 10, 5)
                    .op("[pl][profile]run_epoch", 0, 50)
                    .text(R"("Framework":"pytorch-lightning",)"));
  EXPECT_EQ(member(desk.body("tree"), "children"),
            R"([{"name": "run_epoch", "start_time": 0, "end_time": 50, "type": "pl_profile", )"
            R"("tid": 1, "children": []}])");
}

TEST(TreeViewTest, without_operators_there_is_no_tree) {
  ViewDesk desk;
  desk.add("w", TraceLines().x("kernel", "k", 0, 5, R"("device":0)").text());
  EXPECT_EQ(desk.ask("tree").status, 404);
}

TEST(TreeViewTest, trees_may_be_very_deep) {
  TraceLines lines;
  constexpr int kDepth = 20000;
  for (int i = 0; i < kDepth; ++i) {
    lines.op(i % 2 == 0 ? "a" : "b", i, 3.0 * kDepth - 2.0 * i);
  }
  ViewDesk desk;
  desk.add("w", lines.text());
  EXPECT_EQ(desk.ask("tree").status, 200);
}

}  // namespace
}  // namespace strobe::tensorboard
