#include "strobe/query/sql_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "strobe/base/text.h"

namespace strobe::query {
namespace {

std::size_t after(std::string_view text, std::string_view end, std::size_t from) {
  const std::size_t found = text.find(end, from);
  return found == std::string_view::npos ? text.size() : found + end.size();
}

// Comments nest.
std::size_t after_comment(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  do {
    if (text.substr(at).starts_with("/*")) {
      ++depth;
      at += 2;
    } else if (text.substr(at).starts_with("*/")) {
      --depth;
      at += 2;
    } else {
      ++at;
    }
  } while (depth != 0 && at < text.size());
  return std::min(at, text.size());
}

// $tag$ ... $tag$; a parameter like $1 is none.
std::size_t after_dollars(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() && (is_letter_or_digit(text[end]) || text[end] == '_')) ++end;
  if (end == text.size() || text[end] != '$') return at + 1;
  return after(text, text.substr(at, end + 1 - at), end + 1);
}

// e'it\'s': a text in which a backslash takes the next letter with it.
std::size_t after_escapes(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] != '\'') at += text[at] == '\\' ? 2 : 1;
  return std::min(at + 1, text.size());
}

bool begins_escapes(std::string_view text, std::size_t at) {
  const bool is_in_word = at > 0 && (is_letter_or_digit(text[at - 1]) || text[at - 1] == '_');
  return !is_in_word && lower(text[at]) == 'e' && text.substr(at + 1).starts_with('\'');
}

bool is_comment(std::string_view rest) { return rest.starts_with("--") || rest.starts_with("/*"); }

// The end of the quote, comment or single character at `at`.
std::size_t after_piece(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("--")) return after(text, "\n", at);
  if (rest.starts_with("/*")) return after_comment(text, at);
  if (begins_escapes(text, at)) return after_escapes(text, at + 2);
  if (rest[0] == '\'') return after(text, "'", at + 1);
  if (rest[0] == '"') return after(text, "\"", at + 1);
  if (rest[0] == '$') return after_dollars(text, at);
  return at + 1;
}

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && (is_space(text[0]) || is_comment(text))) {
    text.remove_prefix(after_piece(text, 0));
  }
  return text;
}

bool take_word(std::string_view& text, std::string_view word) {
  const std::string_view rest = without_blanks(text);
  if (lower_case(rest.substr(0, word.size())) != word) return false;
  const std::string_view behind = rest.substr(word.size());
  if (!behind.empty() && (is_letter_or_digit(behind[0]) || behind[0] == '_')) return false;
  text = behind;
  return true;
}

// Functions whose call is a deed, and one that runs a text which the plan does not show.
constexpr std::string_view kDeeds[] = {
    "ENABLE_LOGGING",   "DISABLE_LOGGING", "TRUNCATE_DUCKDB_LOGS",       "CHECKPOINT",
    "FORCE_CHECKPOINT", "COPY_DATABASE",   "JSON_EXECUTE_SERIALIZED_SQL"};
// Without one of these in its text, a query calls none of them: not even by a text that query()
// runs, nor by a name that is written in numbers of letters.
constexpr std::string_view kPartsOfDeeds[] = {"_logging",     "duckdb_logs", "checkpoint", "query",
                                              "json_execute", "database",    "u&"};

}  // namespace

std::string_view explained(std::string_view text) {
  take_word(text, "explain");
  for (const char* word : {"analyze", "analyse", "verbose"}) take_word(text, word);
  return without_blanks(text);
}

std::string_view after_parentheses(std::string_view text) {
  text = without_blanks(text);
  std::size_t depth = 0;
  for (std::size_t at = 0; at < text.size(); at = after_piece(text, at)) {
    if (text[at] == '(') ++depth;
    if (depth == 0) return text;
    if (text[at] == ')' && --depth == 0) return text.substr(at + 1);
  }
  return {};
}

std::optional<std::string> take_statement(std::string& text) {
  for (std::size_t at = 0; at < text.size(); at = after_piece(text, at)) {
    if (text[at] != ';') continue;
    std::string statement = text.substr(0, at);
    text.erase(0, at + 1);
    return statement;
  }
  return std::nullopt;
}

bool is_blank_sql(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); at = after_piece(text, at)) {
    if (!is_space(text[at]) && !is_comment(text.substr(at))) return false;
  }
  return true;
}

bool asks_for_tables(std::string_view text) {
  std::string words;
  for (const char c : lower_case(text)) {
    if (c == ';') continue;
    const bool is_repeated = is_space(c) && (words.empty() || words.back() == ' ');
    if (!is_repeated) words += is_space(c) ? ' ' : c;
  }
  while (words.ends_with(' ')) words.pop_back();
  return words == "show tables" || words == "show all tables";
}

bool may_call_a_deed(std::string_view text) {
  const std::string small = lower_case(text);
  return std::ranges::any_of(
      kPartsOfDeeds, [&](std::string_view part) { return small.find(part) != std::string::npos; });
}

std::string deed_in_plan(std::string_view plan) {
  for (const std::string_view deed : kDeeds) {
    const bool is_in = plan.find(fmt::format("\"name\": \"{} ", deed)) != std::string_view::npos;
    if (is_in) return lower_case(deed);
  }
  return "";
}

}  // namespace strobe::query
