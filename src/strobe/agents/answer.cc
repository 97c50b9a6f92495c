#include "strobe/agents/answer.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/base/json_write.h"
#include "strobe/base/text.h"

namespace strobe::agents {
namespace {

constexpr int kDigits = 4;
constexpr std::size_t kLeastSentence = 160;
constexpr std::string_view kCut = "…";
constexpr std::string_view kLeftOut = R"("left out: ask with `full`")";

std::string cut_text(std::string_view text, std::size_t most_bytes) {
  if (text.size() <= most_bytes) return std::string(text);
  return std::string(prefix_of(text, most_bytes - kCut.size())) + std::string(kCut);
}

// Bytes of the part of the text that cutting may change.
std::size_t size_of(const AnswerTable& table) {
  std::size_t bytes = 0;
  for (const std::string& row : table.rows) bytes += row.size() + 1;
  return bytes;
}

void write_answer_table(const AnswerTable& table, JsonWriter& json) {
  std::string text = fmt::format("{{{},\"rows\":[{}],\"rows_left_out\":{}}}", table.head,
                                 fmt::join(table.rows, ","), table.left_out);
  json.key(table.name).raw(text);
}

std::string answer_json(std::string_view tool, const Answer& answer) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().member("tool", tool);
  for (const auto& [name, value] : answer.members) json.key(name).raw(value);
  if (!answer.tables.empty()) {
    json.key("tables").begin_object();
    for (const AnswerTable& table : answer.tables) write_answer_table(table, json);
    json.end_object();
  }
  json.key("cannot_answer").begin_array();
  for (const Gap& gap : answer.gaps) {
    json.begin_object()
        .member("question", gap.question)
        .member("reason", gap.reason)
        .member("record", gap.record)
        .end_object();
  }
  json.end_array().key("links").begin_array();
  for (const Link& link : answer.links) {
    json.begin_object().member("what", link.what).member("address", link.address).end_object();
  }
  json.end_array().end_object();
  return out;
}

std::string answer_text(const Answer& answer) {
  std::string text = fmt::format("{}", fmt::join(answer.sentences, "\n"));
  for (const Gap& gap : answer.gaps) {
    text +=
        fmt::format("{}Cannot answer {}: {}.", text.empty() ? "" : "\n", gap.question, gap.reason);
  }
  return text;
}

// Takes the last row off the longest table that has at least so many. Returns its bytes, 0: none.
std::size_t drop_row(Answer& answer, std::size_t least_rows) {
  const auto longest = std::ranges::max_element(answer.tables, {}, [&](const AnswerTable& table) {
    return table.rows.size() >= least_rows ? size_of(table) : 0;
  });
  if (longest == answer.tables.end() || longest->rows.size() < least_rows) return 0;
  const std::size_t bytes = longest->rows.back().size() + 1;
  longest->rows.pop_back();
  ++longest->left_out;
  return bytes;
}

// Shortens what is longest. Returns about how many bytes that saves, 0: nothing can be taken away.
std::size_t shorten(Answer& answer) {
  if (const std::size_t bytes = drop_row(answer, 2)) return bytes;
  if (answer.links.size() > 1) {
    const std::size_t bytes = answer.links.back().address.size();
    answer.links.pop_back();
    return bytes;
  }
  const auto sentence = std::ranges::max_element(answer.sentences, {}, &std::string::size);
  if (sentence != answer.sentences.end() && sentence->size() > kLeastSentence) {
    const std::size_t before = sentence->size();
    *sentence = cut_text(*sentence, std::max(kLeastSentence, before / 2));
    return before - sentence->size();
  }
  // A single row or a member can be too long: a query may select hundreds of columns.
  if (const std::size_t bytes = drop_row(answer, 1)) return bytes;
  if (!answer.tables.empty()) {
    const std::size_t bytes = answer.tables.back().head.size();
    answer.tables.pop_back();
    return bytes;
  }
  const auto member = std::ranges::max_element(
      answer.members, {}, [](const auto& named) { return named.second.size(); });
  if (member == answer.members.end() || member->second.size() <= kLeftOut.size()) return 0;
  const std::size_t bytes = member->second.size() - kLeftOut.size();
  member->second = kLeftOut;
  return bytes;
}

// The objects of an array, each as its values under these columns.
std::vector<std::vector<JsonValue>> cells_of(const TableChoice& choice, const JsonValue& rows,
                                             std::size_t most, std::uint64_t& left_out) {
  std::vector<std::vector<JsonValue>> cells;
  for_each_element(rows.text, [&](const JsonValue& row) {
    if (choice.keeps && !choice.keeps(row)) return;
    if (cells.size() == most) {
      ++left_out;
      return;
    }
    std::vector<JsonValue>& line = cells.emplace_back(choice.columns.size());
    for_each_member(row.text, [&](std::string_view key, const JsonValue& value) {
      const auto column = std::ranges::find(choice.columns, key);
      if (column != choice.columns.end()) {
        line[static_cast<std::size_t>(column - choice.columns.begin())] = value;
      }
    });
  });
  return cells;
}

bool has_value(const JsonValue& value) {
  return value.present() && value.type != JsonType::kNull && value.text != "";
}

}  // namespace

ToolReply shortened(std::string_view tool, Answer answer, const AnswerSize& size) {
  while (true) {
    ToolReply reply{.text = answer_text(answer), .json = answer_json(tool, answer)};
    const std::size_t bytes = reply.text.size() + reply.json.size();
    std::size_t saved = 0;
    while (saved + size.bytes < bytes) {
      const std::size_t more = shorten(answer);
      if (more == 0) break;
      saved += more;
    }
    if (saved == 0) return reply;
  }
}

std::string json_text_of(std::string_view text) {
  std::string out;
  append_json_string(text, out);
  return out;
}

std::string json_list_of(const std::vector<std::string>& json) {
  return fmt::format("[{}]", fmt::join(json, ","));
}

std::string brief_json(const JsonValue& value, std::size_t most_text) {
  switch (value.type) {
    case JsonType::kString:
      return json_text_of(cut_text(value.as_string(), most_text));
    case JsonType::kNumber: {
      const bool is_whole = value.text.find_first_of(".eE") == std::string_view::npos;
      const auto number = value.as_double();
      if (is_whole || !number) return std::string(value.text);
      std::string out;
      JsonWriter(out).value(rounded_to_digits(*number, kDigits));
      return out;
    }
    case JsonType::kAbsent:
    case JsonType::kOther:
      return "null";
    default: {
      std::string out;
      JsonWriter json(out);
      copy_json(value, json);  // on one line
      return out;
    }
  }
}

void add_rows(Answer& answer, const TableChoice& choice, const JsonValue& rows,
              const AnswerSize& size) {
  AnswerTable table{.name = std::string(choice.name), .head = "", .rows = {}};
  const auto cells = cells_of(choice, rows, size.rows, table.left_out);
  if (cells.empty()) return;
  std::vector<std::size_t> kept;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < choice.columns.size(); ++i) {
    if (std::ranges::none_of(cells, [&](const auto& line) { return has_value(line[i]); })) continue;
    kept.push_back(i);
    names.push_back(json_text_of(choice.columns[i]));
  }
  for (const auto& line : cells) {
    std::vector<std::string> values;
    for (const std::size_t i : kept) values.push_back(brief_json(line[i], size.text));
    table.rows.push_back(json_list_of(values));
  }
  table.head = fmt::format("\"columns\":{},\"evidence\":{}", json_list_of(names),
                           json_text_of(choice.evidence));
  answer.tables.push_back(std::move(table));
}

bool add_table(Answer& answer, const TableChoice& choice, std::string_view document,
               std::string_view key, const AnswerSize& size) {
  const JsonValue table = find(find(document, "tables").text, key);
  const std::size_t before = answer.tables.size();
  if (!table.present()) return false;
  add_rows(answer, choice, find(table.text, "rows"), size);
  if (answer.tables.size() == before) return false;
  std::string bases;
  for_each_element(find(table.text, "columns").text, [&](const JsonValue& column) {
    const std::string name = find(column.text, "key").as_string();
    const JsonValue base = find(column.text, "share_of");
    if (!base.present() || std::ranges::find(choice.columns, name) == choice.columns.end()) return;
    bases += fmt::format("{}{}:{}", bases.empty() ? "" : ",", json_text_of(name),
                         json_text_of(base.as_string()));
  });
  if (!bases.empty()) answer.tables.back().head += fmt::format(",\"share_of\":{{{}}}", bases);
  return true;
}

}  // namespace strobe::agents
