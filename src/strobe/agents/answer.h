#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strobe/base/json_value.h"

// What a tool answers: a few sentences, and JSON with the numbers. One shape for all tools.
namespace strobe::agents {

// What cannot be told, why, and what to record so that it can. Without it, silence would read as
// healthy.
struct Gap {
  std::string question;
  std::string reason;
  std::string record;
};

// An address of the web page.
struct Link {
  std::string what;
  std::string address;
};

// Rows under common columns, ready as JSON. The last ones go first if an answer is too long.
struct AnswerTable {
  std::string name;
  std::string head;               // the members before its rows, as JSON without braces
  std::vector<std::string> rows;  // JSON
  std::uint64_t left_out = 0;     // rows that are not here
};

// How long an answer may be. A token is counted as three bytes, which is fewer than the average
// of English text and of JSON, so the count is too high rather than too low.
inline constexpr std::size_t kBytesPerToken = 3;
struct AnswerSize {
  std::size_t rows = 5;      // per table
  std::size_t text = 120;    // bytes of a name in a table
  std::size_t bytes = 6000;  // of sentences and JSON together
};

struct Answer {
  std::vector<std::string> sentences;                        // the text
  std::vector<std::pair<std::string, std::string>> members;  // name and JSON
  std::vector<AnswerTable> tables;
  std::vector<Gap> gaps;
  std::vector<Link> links;

  void say(std::string sentence) { sentences.push_back(std::move(sentence)); }
  void member(std::string name, std::string json) {
    members.emplace_back(std::move(name), std::move(json));
  }
  void cannot(std::string question, std::string reason, std::string record) {
    gaps.push_back({std::move(question), std::move(reason), std::move(record)});
  }
};

struct ToolReply {
  std::string text;
  std::string json;  // an object
  bool is_error = false;
};

// The answer as it is sent, shortened until it fits: rows first, then the longest sentences.
ToolReply shortened(std::string_view tool, Answer answer, const AnswerSize& size);

// A value as JSON for an agent: fractions have four significant digits, long texts end in "…".
std::string brief_json(const JsonValue& value, std::size_t most_text);
std::string json_text_of(std::string_view text);  // in quotes
std::string json_list_of(const std::vector<std::string>& json);

// A table of a document of strobe, or an array of objects: some columns of the first rows.
struct TableChoice {
  std::string_view name;      // in the answer
  std::string_view evidence;  // the command that prints all of it
  std::vector<std::string_view> columns;
  std::function<bool(const JsonValue& row)> keeps = nullptr;  // null: every row
};
// Columns without any value are left out; nothing is added without rows.
void add_rows(Answer& answer, const TableChoice& choice, const JsonValue& rows,
              const AnswerSize& size);
// The table `key` of "tables". True if it has a row that is kept.
bool add_table(Answer& answer, const TableChoice& choice, std::string_view document,
               std::string_view key, const AnswerSize& size);

}  // namespace strobe::agents
