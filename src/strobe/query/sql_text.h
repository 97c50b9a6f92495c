#pragma once

#include <optional>
#include <string>
#include <string_view>

// SQL as people type it: where a statement ends, and what it may do.
namespace strobe::query {

// Takes the first statement that a ';' ends off `text`, without the ';'. None: it is not complete.
// A ';' in quotes or comments ends nothing.
std::optional<std::string> take_statement(std::string& text);

// Whether there is nothing but blanks and comments.
bool is_blank_sql(std::string_view text);

// What an EXPLAIN explains: the text behind `explain`, `analyze` and `verbose`. It begins with the
// options if there are any: "(format json) select 1".
std::string_view explained(std::string_view text);

// The text behind its first parenthesis and all that is in it; itself if it begins otherwise.
std::string_view after_parentheses(std::string_view text);

// Whether it may call a function that does more than read, directly or by a text that it runs.
bool may_call_a_deed(std::string_view text);

// The first such function in a plan of the engine as JSON, in small letters; "" if there is none.
std::string deed_in_plan(std::string_view plan);

// Whether it asks for the list of tables: `show tables`.
bool asks_for_tables(std::string_view text);

}  // namespace strobe::query
