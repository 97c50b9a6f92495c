#include "strobe/query/sql_text.h"

#include <algorithm>

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

bool is_comment(std::string_view rest) { return rest.starts_with("--") || rest.starts_with("/*"); }

// The end of the quote, comment or single character at `at`.
std::size_t after_piece(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("--")) return after(text, "\n", at);
  if (rest.starts_with("/*")) return after_comment(text, at);
  if (rest[0] == '\'') return after(text, "'", at + 1);
  if (rest[0] == '"') return after(text, "\"", at + 1);
  if (rest[0] == '$') return after_dollars(text, at);
  return at + 1;
}

}  // namespace

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

}  // namespace strobe::query
