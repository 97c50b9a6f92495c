#include "strobe/agents/toolbox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "strobe/agents/message.h"
#include "strobe/agents/page_links.h"
#include "tests/unit/agents/scripted_lab.h"

namespace strobe::agents {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

ToolReply ask(ScriptedLab& lab, std::string_view tool, std::string_view arguments) {
  ToolReply reply = call_tool(*find_tool(tool), arguments, lab, {});
  EXPECT_TRUE(is_json(reply.json)) << reply.json;
  EXPECT_EQ(reply.json.find('\n'), std::string::npos);
  return reply;
}

JsonValue first_gap(const ToolReply& reply) {
  JsonValue first;
  for_each_element(find(reply.json, "cannot_answer").text, [&](const JsonValue& gap) {
    if (!first.present()) first = gap;
  });
  return first;
}

TEST(ToolboxTest, there_are_eight_tools_with_an_example_each) {
  EXPECT_EQ(tools().size(), 8u);
  for (const Tool& tool : tools()) {
    EXPECT_TRUE(is_json(tool.input_schema())) << tool.name;
    EXPECT_THAT(std::string(tool.description), HasSubstr("Example: {")) << tool.name;
  }
  EXPECT_TRUE(is_json(tool_list()));
}

// Agents read the list before they ask anything, so it must be short as well.
TEST(ToolboxTest, the_list_of_tools_has_at_most_4000_tokens) {
  EXPECT_LE(tool_list().size() / kBytesPerToken, 4000u);
}

TEST(ToolboxTest, wrong_arguments_are_errors_that_say_which) {
  ScriptedLab lab;
  const ToolReply unknown = ask(lab, "search", R"({"text":"a","trase":"b"})");
  EXPECT_TRUE(unknown.is_error);
  EXPECT_THAT(unknown.text, HasSubstr("there is no argument 'trase'"));
  EXPECT_THAT(unknown.text, HasSubstr("regex"));
  EXPECT_THAT(ask(lab, "search", "{}").text, HasSubstr("text: the argument is missing"));
  EXPECT_THAT(ask(lab, "search", R"({"text":7})").text, HasSubstr("must be a text"));
  EXPECT_THAT(ask(lab, "search", R"({"text":"a","regex":1})").text, HasSubstr("true or false"));
  EXPECT_THAT(ask(lab, "search", R"({"text":"a","limit":0})").text, HasSubstr("from 1 to 1000"));
  EXPECT_THAT(ask(lab, "search", R"({"text":"a","limit":2.5})").text, HasSubstr("whole number"));
  EXPECT_THAT(ask(lab, "overview", R"({"trace":"nothing"})").text, HasSubstr("ask `open`"));
  EXPECT_THAT(ask(lab, "explain", "{}").text, HasSubstr("exactly one of"));
  EXPECT_THAT(ask(lab, "explain", R"({"step":1,"slice":1})").text, HasSubstr("exactly one of"));
  EXPECT_TRUE(lab.asked.empty());
}

TEST(ToolboxTest, data_that_cannot_answer_is_no_error_and_never_silent) {
  for (const Tool& tool : tools()) {
    ScriptedLab lab;
    lab.source.traces.push_back("b.json");
    if (tool.name != "fleet") lab.source.traces.pop_back();
    const std::string_view arguments = tool.name == "compare"   ? R"({"normal":"a","abnormal":"b"})"
                                       : tool.name == "search"  ? R"({"text":"a"})"
                                       : tool.name == "query"   ? R"({"sql":"select 1"})"
                                       : tool.name == "explain" ? R"({"slice":1})"
                                       : tool.name == "open"    ? R"({"trace":"a"})"
                                                                : "{}";
    const ToolReply reply = ask(lab, tool.name, arguments);
    EXPECT_FALSE(reply.is_error) << tool.name;
    const JsonValue gap = first_gap(reply);
    EXPECT_THAT(find(gap.text, "reason").as_string(), HasSubstr("nothing was recorded"))
        << tool.name;
    EXPECT_EQ(find(gap.text, "record").as_string(), "record more") << tool.name;
    EXPECT_THAT(reply.text, StartsWith("Cannot answer")) << tool.name;
  }
}

TEST(ToolboxTest, a_list_of_kernels_is_not_a_trace) {
  ScriptedLab lab;
  lab.source = {.name = "k.csv", .traces = {}, .is_kernel_list = true};
  EXPECT_THAT(ask(lab, "overview", "{}").text, HasSubstr("ask the tool `kernels`"));
  EXPECT_THAT(ask(lab, "search", R"({"text":"a"})").text, HasSubstr("list of kernels"));
  EXPECT_THAT(ask(lab, "query", R"({"sql":"select 1"})").text, HasSubstr("list of kernels"));
}

TEST(ToolboxTest, search_links_to_the_first_hit) {
  ScriptedLab lab;
  lab.answers.emplace(
      "search",
      std::string(
          R"({"total":3,"total_ns":900,"names":["ge mm"],"matches":[[99,7000,300,4,0,0]]})"));
  const ToolReply reply = ask(lab, "search", R"({"text":"ge mm"})");
  EXPECT_THAT(reply.json, HasSubstr(R"("rows":[[99,7000,300,4,"ge mm"]],"rows_left_out":2)"));
  EXPECT_THAT(reply.json, HasSubstr("http://127.0.0.1:1/#/timeline?trace=a.json&slice=99&from="
                                    "5500&to=8800"));
  EXPECT_THAT(reply.json, HasSubstr("q=ge+mm&jump=longest"));
}

// An error quotes what was asked.
TEST(ToolboxTest, an_error_is_short_whatever_was_asked) {
  ScriptedLab lab;
  const std::string long_name(100'000, 'x');
  for (const ErrorCode code : {ErrorCode::kInvalidArgument, ErrorCode::kMachineLacks}) {
    lab.answers.insert_or_assign(
        "query", Error{code, "there is no '" + long_name + "'", long_name, long_name});
    const ToolReply reply = ask(lab, "query", R"({"sql":"select"})");
    EXPECT_LT(reply.text.size() + reply.json.size(), 10'000u);
    EXPECT_THAT(reply.text, HasSubstr("there is no 'xxx"));
  }
}

// People paste it into a shell.
TEST(ToolboxTest, the_command_of_a_query_is_one_word_for_a_shell) {
  ScriptedLab lab;
  lab.answers.emplace("query", R"({"columns":[],"rows":[],"is_cut":false})");
  lab.source.name = "run one/a.json";
  EXPECT_THAT(ask(lab, "query", R"({"sql":"select '$(id)' as \"x\""})").json,
              HasSubstr(R"("evidence":"strobe query 'run one/a.json' )"
                        R"('select '\\''$(id)'\\'' as \"x\"'")"));
  lab.source.name = "a.json";
  EXPECT_THAT(ask(lab, "query", R"({"sql":"families"})").json,
              HasSubstr(R"("evidence":"strobe query a.json families")"));
}

TEST(ToolboxTest, a_query_keeps_its_values_and_their_units) {
  ScriptedLab lab;
  lab.answers.emplace("query", std::string(R"({"columns":[{"name":"dur","type":"whole","unit":"ns"},
      {"name":"x","type":"real","unit":null}],"rows":[[5000,0.123456789],[1,null]],"is_cut":true})"));
  const ToolReply reply = ask(lab, "query", R"({"sql":"select"})");
  EXPECT_THAT(reply.json, HasSubstr(R"("columns":["dur","x"],"units":{"dur":"ns"})"));
  EXPECT_THAT(reply.json, HasSubstr(R"("rows":[[5000,0.1235],[1,null]])"));
  EXPECT_THAT(reply.text, HasSubstr("2 rows and more"));
}

std::string row_of(std::size_t columns) {
  std::string row = "[";
  for (std::size_t i = 0; i < columns; ++i)
    row += (i == 0 ? "\"" : ",\"") + std::string(40, 'n') + "\"";
  return row + "]";
}

// However long the data is, an answer fits, unless the caller wants all of it.
TEST(ToolboxTest, answers_fit_into_the_budget) {
  for (const std::size_t columns : {std::size_t{1}, std::size_t{200}}) {
    std::string rows;
    std::string names;
    for (int i = 0; i < 250; ++i) rows += (i == 0 ? "" : ",") + row_of(columns);
    for (std::size_t i = 0; i < columns; ++i) {
      names +=
          std::string(i == 0 ? "" : ",") + R"({"name":"a name that is not short","unit":null})";
    }
    ScriptedLab lab;
    lab.answers.emplace(
        "query", R"({"columns":[)" + names + R"(],"rows":[)" + rows + R"(],"is_cut":false})");
    const ToolReply usual = ask(lab, "query", R"({"sql":"select"})");
    EXPECT_LE(usual.text.size() + usual.json.size(), 6000u) << columns;
    const ToolReply longer = ask(lab, "query", R"({"sql":"select","limit":1000})");
    EXPECT_LE(longer.text.size() + longer.json.size(), 10'500u) << columns;
    const ToolReply full = ask(lab, "query", R"({"sql":"select","full":true})");
    EXPECT_GT(full.json.size(), longer.json.size()) << columns;
  }
}

TEST(ToolboxTest, addresses_are_those_of_the_page) {
  EXPECT_EQ(page_address("http://h/", "timeline", {"a b/c+d.json"}, {{"from", "1"}}),
            "http://h/#/timeline?trace=a+b/c%2Bd.json&from=1");
  EXPECT_EQ(page_address("", "overview", {"é&"}), "#/overview?trace=%C3%A9%26");
  EXPECT_EQ(page_address("", "overview", std::vector<std::string>(100, "a")), "#/runs");
}

}  // namespace
}  // namespace strobe::agents
