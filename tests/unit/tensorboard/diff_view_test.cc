#include <gtest/gtest.h>

#include "tests/unit/tensorboard/view_desk.h"

namespace strobe::tensorboard {
namespace {

class DiffViewTest : public testing::Test {
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
