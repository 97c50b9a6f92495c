#include "strobe/tensorboard/modules.h"

#include <gtest/gtest.h>

#include "tests/unit/tensorboard/view_desk.h"

namespace strobe::tensorboard {
namespace {

// "name#id(calls,operators)[children]" of every root.
std::string tree(const std::string& body) {
  std::string out;
  std::string_view rest = body;
  for (std::size_t at = rest.find_first_of("\"]"); at != std::string_view::npos;
       at = rest.find_first_of("\"]")) {
    if (rest[at] == ']') {
      out += ']';
      rest.remove_prefix(at + 1);
      continue;
    }
    rest.remove_prefix(at);
    if (rest.starts_with("\"name\": ")) {
      const std::string name = member(rest, "name");
      if (!out.empty() && out.back() != '[') out += ' ';
      out += name.substr(1, name.size() - 2) + "#" + member(rest, "id") + "(" +
             member(rest, "occurences") + "," + member(rest, "operators") + ")[";
      rest.remove_prefix(rest.find("\"children\": [") + 13);
    } else {
      rest.remove_prefix(1);
    }
  }
  std::string shown;
  for (const char c : out) {
    if (c == ']' && shown.ends_with('[')) {
      shown.pop_back();
    } else {
      shown += c;
    }
  }
  return shown;
}

std::string modules(const TraceLines& lines, std::string_view header = "") {
  ViewDesk desk;
  desk.add("w", lines.text(header));
  const std::string body = desk.body("module");
  const std::string data = member(body, "data");
  return tree(data.substr(1, data.size() - 2));
}

TEST(ModulesTest, a_module_belongs_to_the_nearest_module_above_it) {
  EXPECT_EQ(modules(TraceLines()
                        .frame("train.py", 0, 100, 1, "null")
                        .frame("nn.Module: Net_0", 10, 80, 2, "1", "0")
                        .frame("forward", 11, 70, 3, "2")
                        .frame("nn.Module: Linear_0", 20, 10, 4, "3", "1")
                        .op("aten::mm", 21, 5)
                        .frame("nn.Module: ReLU_0", 40, 10, 5, "3", "2")
                        .op("aten::relu", 41, 2)
                        .op("aten::add", 44, 2)
                        .op("aten::sum", 60, 2)),
            "Net_0#0(1,1)[Linear_0#1(1,1) ReLU_0#2(1,2)]");
}

TEST(ModulesTest, equal_trees_are_shown_once_and_counted_together) {
  EXPECT_EQ(modules(TraceLines()
                        .frame("nn.Module: Net_0", 0, 10, 1, "null", "0")
                        .frame("nn.Module: A_0", 2, 2, 2, "1", "1")
                        .frame("nn.Module: Net_0", 20, 10, 3, "null", "0")
                        .frame("nn.Module: A_0", 22, 2, 4, "3", "1")
                        .frame("nn.Module: Net_0", 40, 10, 5, "null", "0")),
            "Net_0#0(3,0)[A_0#1(2,0)] Net_0#0(3,0)");
}

TEST(ModulesTest, roots_come_by_name_and_children_as_they_were_registered) {
  EXPECT_EQ(modules(TraceLines()
                        .frame("nn.Module: Z", 0, 10, 1, "null", "0")
                        .frame("nn.Module: B", 2, 2, 2, "1", "1")
                        .frame("nn.Module: A", 5, 2, 3, "1", "2")
                        .frame("nn.Module: Y", 20, 10, 4, "null", "3")),
            "Y#3(1,0) Z#0(1,0)[B#1(1,0) A#2(1,0)]");
}

TEST(ModulesTest, a_later_frame_with_the_same_number_replaces_the_earlier) {
  EXPECT_EQ(modules(TraceLines()
                        .frame("nn.Module: Old", 0, 10, 1, "null", "0")
                        .frame("nn.Module: New", 20, 10, 1, "null", "5")),
            "New#5(1,0)");
}

TEST(ModulesTest, a_module_that_overlaps_another_is_listed_with_zeros) {
  ViewDesk desk;
  desk.add("w", TraceLines()
                    .frame("nn.Module: A", 0, 10, 1, "null", "0")
                    .frame("nn.Module: B", 5, 10, 2, "null", "1")
                    .text());
  EXPECT_EQ(member(desk.body("module"), "data"),
            R"([{"name": "A", "id": 0, "occurences": 1, "operators": 0, "host_duration": 10, )"
            R"("self_host_duration": 10, "device_duration": 0, "self_device_duration": 0, )"
            R"("avg_duration": 10.0, "children": []}, )"
            R"({"name": "B", "id": 1, "occurences": 0, "operators": 0, "host_duration": 0, )"
            R"("self_host_duration": 0, "device_duration": 0, "self_device_duration": 0, )"
            R"("avg_duration": 0.0, "children": []}])");
}

TEST(ModulesTest, lightning_names_its_modules_by_path) {
  EXPECT_EQ(modules(TraceLines()
                        .op("[pl][module]torch.nn.Net: net", 0, 50)
                        .op("[pl][module]torch.nn.Linear: net.fc", 5, 10)
                        .op("aten::mm", 6, 2)
                        .op("[pl][module]torch.nn.Linear: net.fc", 25, 10)
                        .op("[pl][module]torch.nn.ReLU: other.act", 40, 5),
                    R"("Framework":"pytorch-lightning",)"),
            "net#0(1,0)[net.fc#0(2,1)] other.act#0(1,0)");
}

TEST(ModulesTest, a_trace_without_modules_has_no_such_view) {
  ViewDesk desk;
  desk.add("w", TraceLines().op("a", 0, 10).frame("f", 0, 10, 1, "null").text());
  EXPECT_EQ(desk.ask("module").status, 404);
}

TEST(ModulesTest, modules_may_nest_very_deep) {
  TraceLines lines;
  constexpr int kDepth = 20000;
  for (int i = 0; i < kDepth; ++i) {
    lines.frame("nn.Module: M", i, 3.0 * kDepth - 2.0 * i, i,
                i == 0 ? "null" : std::to_string(i - 1), "0");
  }
  ViewDesk desk;
  desk.add("w", lines.text());
  const std::string body = desk.body("module");
  EXPECT_NE(body.find("\"occurences\": 20000"), std::string::npos);
}

}  // namespace
}  // namespace strobe::tensorboard
