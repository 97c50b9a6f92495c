#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "strobe/agents/page_links.h"
#include "strobe/agents/summary_parts.h"
#include "strobe/agents/toolbox.h"
#include "strobe/base/text.h"

namespace strobe::agents {
namespace {

// A match of the API: slice, start, length, track, row, index into the names.
using Match = std::array<JsonValue, 6>;

Match match_of(const JsonValue& list) {
  Match match;
  std::size_t at = 0;
  for_each_element(list.text, [&](const JsonValue& value) {
    if (at < match.size()) match[at++] = value;
  });
  return match;
}

std::vector<std::string> names_of(std::string_view body, std::size_t most_text) {
  std::vector<std::string> names;
  for_each_element(find(body, "names").text,
                   [&](const JsonValue& name) { names.push_back(brief_json(name, most_text)); });
  return names;
}

}  // namespace

Result<Answer> search_answer(const ToolCall& call) {
  STROBE_TRY(const std::string text, call.arguments.needed("text"));
  STROBE_TRY(const bool is_regex, call.arguments.flag("regex"));
  STROBE_TRY(const Source source, one_trace(call, "trace"));
  Lab::Parameters parameters = parameters_of(source);
  parameters.emplace("q", text);
  if (is_regex) parameters.emplace("regex", "1");
  parameters.emplace("limit", fmt::format("{}", call.size.rows));
  STROBE_TRY(const std::string body, call.lab.ask("search", parameters, call.watch));
  const std::vector<std::string> names = names_of(body, call.size.text);
  const std::int64_t total = find(body, "total").as_int64().value_or(0);
  AnswerTable table{.name = "slices",
                    .head =
                        R"("columns":["slice","start_ns","duration_ns","track","name"],"evidence":)"
                        R"("the first ones by time, on the timeline")",
                    .rows = {}};
  Answer answer;
  for_each_element(find(body, "matches").text, [&](const JsonValue& list) {
    const Match match = match_of(list);
    const auto name = static_cast<std::size_t>(match[5].as_int64().value_or(0));
    table.rows.push_back(fmt::format("[{},{},{},{},{}]", match[0].text, match[1].text,
                                     match[2].text, match[3].text,
                                     name < names.size() ? names[name] : "null"));
    if (answer.links.empty()) {
      answer.links.push_back(slice_link(
          call.lab.page(), "the first one", source.traces[0], match[0].as_int64().value_or(0),
          match[1].as_int64().value_or(0), match[2].as_int64().value_or(0)));
    }
  });
  answer.member("source", json_text_of(source.name));
  answer.member("total", fmt::format("{}", total));
  answer.member("total_ns", brief_json(find(body, "total_ns"), call.size.text));
  answer.say(fmt::format("{} with '{}' in the name: {}, {} added up.", source.name, text,
                         counted(static_cast<std::uint64_t>(total), "slice"),
                         duration_text(find(body, "total_ns").as_int64().value_or(0))));
  table.left_out = static_cast<std::uint64_t>(total) - table.rows.size();
  if (!table.rows.empty()) answer.tables.push_back(std::move(table));
  if (!is_regex && total > 0) {
    answer.links.push_back(
        {"the longest one", page_address(call.lab.page(), "timeline", source.traces,
                                         {{"q", text}, {"jump", "longest"}})});
  }
  if (total == 0) {
    answer.cannot(fmt::format("where '{}' is", text.substr(0, 100)),
                  "no slice of the trace has it in its name; that it did not run does not follow, "
                  "as the profiler may not record it",
                  "look for a shorter part of the name, or record more activities");
  }
  return answer;
}

namespace {

// Whatever the text has in it, a shell takes it as one word.
std::string shell_word(std::string_view text) {
  const auto is_plain = [](char c) {
    return is_letter_or_digit(c) || std::string_view("_-./").find(c) != std::string_view::npos;
  };
  if (!text.empty() && text[0] != '-' && std::ranges::all_of(text, is_plain)) {
    return std::string(text);
  }
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? "'\\''" : std::string(1, c);
  return word + "'";
}

// The same question for a person, unless it is too long to be pasted.
std::string query_command(std::string_view source, std::string_view sql) {
  constexpr std::size_t kMostBytes = 2000;
  const std::string query = sql.size() <= kMostBytes ? shell_word(sql) : "QUERY.sql";
  return fmt::format("strobe query {} {}", shell_word(source), query);
}

}  // namespace

Result<Answer> query_answer(const ToolCall& call) {
  STROBE_TRY(const std::string sql, call.arguments.needed("sql"));
  STROBE_TRY(const std::string typed, call.arguments.text("trace"));
  STROBE_TRY(const Source source, call.lab.find(typed));
  if (source.is_kernel_list) return one_trace(call, "trace").error();
  Lab::Parameters parameters = parameters_of(source);
  parameters.emplace("sql", sql);
  const std::size_t rows = std::max<std::size_t>(call.size.rows, 20);
  parameters.emplace("limit", fmt::format("{}", rows));
  STROBE_TRY(const std::string body, call.lab.ask("query", parameters, call.watch));
  Answer answer;
  answer.member("source", json_text_of(source.name));
  AnswerTable table{.name = "rows", .head = "", .rows = {}};
  std::vector<std::string> names;
  std::string units;
  for_each_element(find(body, "columns").text, [&](const JsonValue& column) {
    names.push_back(brief_json(find(column.text, "name"), call.size.text));
    if (const JsonValue unit = find(column.text, "unit"); unit.type == JsonType::kString) {
      units += fmt::format("{}{}:{}", units.empty() ? "" : ",", names.back(),
                           json_text_of(unit.as_string()));
    }
  });
  for_each_element(find(body, "rows").text, [&](const JsonValue& row) {
    std::vector<std::string> values;
    for_each_element(row.text, [&](const JsonValue& value) {
      values.push_back(brief_json(value, call.size.text));
    });
    table.rows.push_back(json_list_of(values));
  });
  const bool is_cut = find(body, "is_cut").as_bool().value_or(false);
  table.head = fmt::format("\"columns\":{},\"units\":{{{}}},\"evidence\":{}", json_list_of(names),
                           units, json_text_of(query_command(source.name, sql)));
  answer.member("is_cut", is_cut ? "true" : "false");
  answer.say(fmt::format("{}{}, {} of {}.", counted(table.rows.size(), "row"),
                         is_cut ? " and more" : "", counted(names.size(), "column"), source.name));
  answer.tables.push_back(std::move(table));
  answer.links.push_back({"query", page_address(call.lab.page(), "query", source.traces,
                                                {{"sql", sql.substr(0, 1000)}})});
  return answer;
}

}  // namespace strobe::agents
