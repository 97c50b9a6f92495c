#include "strobe/cli/query_shell.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/base/text.h"
#include "strobe/cli/help.h"
#include "strobe/cli/interrupt.h"
#include "strobe/cli/line_editor.h"
#include "strobe/cli/names.h"
#include "strobe/cli/output.h"
#include "strobe/cli/talk.h"
#include "strobe/query/query.h"
#include "strobe/query/questions.h"
#include "strobe/query/sql_text.h"

namespace strobe::cli {
namespace {

constexpr std::string_view kTableFunctions[] = {"slices_between", "slices_of"};

constexpr std::string_view kSqlWords[] = {
    "and",        "as",       "asc",     "avg",       "between",       "busy",     "by",
    "case",       "coalesce", "count",   "desc",      "describe",      "distinct", "else",
    "end",        "explain",  "false",   "family",    "filter",        "from",     "group",
    "having",     "in",       "is",      "join",      "left",          "like",     "limit",
    "max",        "median",   "min",     "not",       "null",          "on",       "or",
    "order",      "over",     "overlap", "partition", "quantile_cont", "round",    "select",
    "short_name", "sum",      "then",    "true",      "union",         "using",    "when",
    "where",      "with"};

struct ShellCommand {
  std::string_view name;
  std::string_view meaning;
};
constexpr ShellCommand kShellCommands[] = {
    {".tables", "the tables"},
    {".schema", "the columns of all tables; .schema kernels: of one, with their meanings"},
    {".examples", "the built-in questions; .examples gaps: the SQL of one"},
    {".help", "this list"},
    {".quit", "leave; Ctrl-D too"}};

// Two columns, the second one wrapped.
class Lines {
 public:
  Lines(const Terminal& terminal, std::size_t width) : terminal_(terminal), width_(width) {}
  void add(std::string_view name, std::string_view meaning) {
    text_ += hanging_lines(fmt::format("  {:<{}}  ", name, width_), width_ + 4, meaning,
                           terminal_.columns);
  }
  std::string take() { return std::move(text_); }

 private:
  const Terminal& terminal_;
  std::size_t width_;
  std::string text_;
};

// Of the names of tables and questions, so that both lists look alike.
std::size_t widest_name() {
  std::size_t width = 0;
  for (const query::Question& question : query::questions()) {
    width = std::max(width, question.name.size());
  }
  for (const query::SchemaTable& table : query::schema()) {
    width = std::max(width, table.name.size());
  }
  return width;
}

std::string help_text(const Terminal& terminal) {
  Lines lines(terminal, 9);
  for (const ShellCommand& command : kShellCommands) lines.add(command.name, command.meaning);
  return lines.take() +
         "\nA statement may take several lines and ends with ';'. The name of a question is one, "
         "too.\nTab completes, the arrow keys go through what was typed before, Ctrl-C stops a "
         "query.\n";
}

Result<std::string> example_text(std::string_view name, const Terminal& terminal) {
  if (name.empty()) return questions_text(terminal);
  const query::Question* question = query::find_question(name);
  if (question == nullptr) {
    return bad_request(fmt::format("there is no question '{}'", name), "", "`.examples`");
  }
  return fmt::format("{};\n", question->sql);
}

// ".schema kernels": nothing if it is no command.
Result<std::string> command_text(std::string_view line, const Terminal& terminal) {
  const std::size_t blank = std::min(line.find(' '), line.size());
  const std::string_view name = line.substr(0, blank);
  const std::string_view rest = trimmed(line.substr(blank));
  if (name == ".tables") return tables_text(terminal);
  if (name == ".schema") return schema_text(rest, terminal);
  if (name == ".examples") return example_text(rest, terminal);
  if (name == ".help") return help_text(terminal);
  return bad_request(fmt::format("unknown command '{}'", name), "", "`.help`");
}

bool quits(std::string_view line) { return line == ".quit" || line == ".exit" || line == ".q"; }

// On one line, unless a comment would swallow the rest.
std::string for_history(std::string statement) {
  if (statement.find("--") == std::string::npos) std::ranges::replace(statement, '\n', ' ');
  return std::string(trimmed(statement)) + ";";
}

class QueryShell {
 public:
  QueryShell(LineEditor& editor, const Ask& ask, const Terminal& terminal)
      : editor_(editor), ask_(ask), terminal_(terminal) {}

  Result<void> run() {
    while (true) {
      const TypedLine line = editor_.read(waiting_.empty() ? "strobe> " : "   ...> ");
      if (line.kind == TypedLine::Kind::kCancelled) {
        waiting_.clear();
        continue;
      }
      if (line.kind == TypedLine::Kind::kEnd) break;
      const std::string_view text = trimmed(line.text);
      if (waiting_.empty() && quits(text)) return {};
      STROBE_TRY_VOID(take(line.text));
    }
    const std::string rest = std::exchange(waiting_, {});
    if (!query::is_blank_sql(rest)) STROBE_TRY_VOID(answer(rest));
    return write_to_stdout("\n");
  }

 private:
  Result<void> take(const std::string& line) {
    std::string_view text = trimmed(line);
    if (waiting_.empty() && text.starts_with('.')) {
      editor_.remember(std::string(text));
      const Result<std::string> shown = command_text(text, terminal_);
      if (shown) return write_to_stdout(*shown);
      return tell(shown.error());
    }
    if (waiting_.empty()) {
      while (text.ends_with(';')) text = trimmed(text.substr(0, text.size() - 1));
      if (const query::Question* question = query::find_question(text)) {
        editor_.remember(std::string(text));
        return answer(std::string(question->sql));
      }
    }
    waiting_ += line + "\n";
    while (const auto statement = query::take_statement(waiting_)) {
      if (query::is_blank_sql(*statement)) continue;
      editor_.remember(for_history(*statement));
      STROBE_TRY_VOID(answer(*statement));
    }
    if (query::is_blank_sql(waiting_)) waiting_.clear();
    return {};
  }

  Result<void> answer(const std::string& sql) {
    const Result<void> answered = ask_(sql);
    if (answered) return {};
    if (answered.error().code == ErrorCode::kInterrupted) forget_interrupt();
    return tell(answered.error());
  }

  Result<void> tell(const Error& error) const {
    if (error.code == ErrorCode::kCannotWrite) return error;  // stdout is gone
    say(error_text(error, terminal_.color_error));
    return {};
  }

  LineEditor& editor_;
  const Ask& ask_;
  const Terminal& terminal_;
  std::string waiting_;  // of a statement that goes on
};

// The word before the one that is typed: what can follow depends on it.
std::string previous_word(std::string_view text) {
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  std::string word(text.substr(last_word(text)));
  std::ranges::transform(word, word.begin(), [](char c) { return lower(c); });
  return word;
}

}  // namespace

std::string questions_text(const Terminal& terminal) {
  Lines lines(terminal, widest_name());
  for (const query::Question& question : query::questions()) {
    lines.add(question.name, question.meaning);
  }
  return lines.take();
}

std::string tables_text(const Terminal& terminal) {
  Lines lines(terminal, widest_name());
  for (const query::SchemaTable& table : query::schema()) lines.add(table.name, table.meaning);
  return lines.take();
}

Result<std::string> schema_text(std::string_view table, const Terminal& terminal) {
  const std::vector<query::SchemaTable> tables = query::schema();
  if (table.empty()) {
    Lines lines(terminal, widest_name());
    for (const query::SchemaTable& one : tables) {
      std::vector<std::string> names;
      for (const query::SchemaColumn& column : one.columns) names.push_back(column.name);
      lines.add(one.name, fmt::format("{}", fmt::join(names, ", ")));
    }
    return lines.take();
  }
  const auto found = std::ranges::find(tables, table, &query::SchemaTable::name);
  if (found == tables.end()) {
    return bad_request(fmt::format("there is no table '{}'", table), "", "`.tables`");
  }
  std::size_t width = 0;
  for (const query::SchemaColumn& column : found->columns) {
    width = std::max(width, column.name.size());
  }
  Lines lines(terminal, width + 9);
  for (const query::SchemaColumn& column : found->columns) {
    lines.add(
        fmt::format("{:<{}}  {}", column.name, width, column.type),
        column.unit.empty() ? column.meaning : fmt::format("{} ({})", column.meaning, column.unit));
  }
  return fmt::format("{}: {}\n{}", found->name, found->meaning, lines.take());
}

std::vector<std::string> query_completions(std::string_view before_cursor) {
  const std::size_t start = last_word(before_cursor);
  const std::string_view typed = before_cursor.substr(start);
  const std::string_view before = before_cursor.substr(0, start);
  const std::string previous = previous_word(before);
  std::set<std::string> words;
  const auto offer = [&](std::string_view word) {
    const bool fits =
        word.size() >= typed.size() && equal_ignoring_case(word.substr(0, typed.size()), typed);
    if (fits) words.emplace(word);
  };
  if (typed.starts_with('.')) {
    for (const ShellCommand& command : kShellCommands) offer(command.name);
    return {words.begin(), words.end()};
  }
  const bool is_first = trimmed(before).empty();
  if (is_first || before.starts_with(".examples")) {
    for (const query::Question& question : query::questions()) offer(question.name);
    if (!is_first) return {words.begin(), words.end()};
  }
  const bool wants_table = previous == "from" || previous == "join" || previous == "describe" ||
                           before.starts_with(".schema");
  for (const query::SchemaTable& table : query::schema()) {
    offer(table.name);
    if (wants_table) continue;
    for (const query::SchemaColumn& column : table.columns) offer(column.name);
  }
  for (const std::string_view word : kTableFunctions) offer(word);
  if (!wants_table) {
    for (const std::string_view word : kSqlWords) offer(word);
  }
  return {words.begin(), words.end()};
}

Result<void> run_query_shell(LineEditor& editor, const Ask& ask, const Terminal& terminal) {
  return QueryShell(editor, ask, terminal).run();
}

}  // namespace strobe::cli
