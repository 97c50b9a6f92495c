#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/cli/terminal.h"

namespace strobe::cli {

class LineEditor;

// The built-in questions, and the tables, a line each.
std::string questions_text(const Terminal& terminal);
std::string tables_text(const Terminal& terminal);

// The columns of a table with their meanings, or of all tables by name only if `table` is "".
Result<std::string> schema_text(std::string_view table, const Terminal& terminal);

// Words that may stand where the text ends: tables, columns, functions, keywords, questions,
// commands of the shell.
std::vector<std::string> query_completions(std::string_view before_cursor);

// Answers one statement on stdout.
using Ask = std::function<Result<void>(const std::string& sql)>;

// Reads statements and commands until the end or `.quit`. A failed statement is reported, and the
// shell goes on.
Result<void> run_query_shell(LineEditor& editor, const Ask& ask, const Terminal& terminal);

}  // namespace strobe::cli
