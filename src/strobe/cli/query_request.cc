#include "strobe/cli/query_request.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include <fmt/format.h>

#include "strobe/base/byte_stream.h"
#include "strobe/base/text.h"
#include "strobe/cli/output.h"
#include "strobe/query/questions.h"
#include "strobe/query/table_files.h"

namespace strobe::cli {
namespace {

using report::AnswerFormat;

constexpr Word<AnswerFormat> kFormats[] = {
    {"text", AnswerFormat::kText},         {"csv", AnswerFormat::kCsv},
    {"json", AnswerFormat::kJson},         {"ndjson", AnswerFormat::kNdjson},
    {"markdown", AnswerFormat::kMarkdown}, {"parquet", AnswerFormat::kParquet},
    {"arrow", AnswerFormat::kArrow}};

constexpr std::size_t kMostSqlBytes = 1 << 20;

bool exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

// A query has blanks; the name of a question has none.
bool looks_like_sql(const std::string& word) {
  return word.find_first_of(" \t\n;") != std::string::npos;
}

std::vector<std::string_view> question_names() {
  std::vector<std::string_view> names;
  for (const query::Question& question : query::questions()) names.push_back(question.name);
  return names;
}

Result<std::string> sql_of(const std::string& word) {
  if (const query::Question* question = query::find_question(word)) {
    return std::string(question->sql);
  }
  if (word.ends_with(".sql")) {
    STROBE_TRY(std::string text, read_text(word, kMostSqlBytes));
    return text;
  }
  return word;
}

}  // namespace

std::vector<Flag> query_flags(QueryRequest& request) {
  std::vector<Flag> flags = {
      flag("--list", "list the built-in questions and the tables", to(request.list)),
      flag("--save FILE",
           "write the query to FILE.sql, which can be given instead of a query later",
           to(request.save)),
      flag("--format FORMAT",
           "text, csv, json, ndjson, markdown, parquet or arrow (default: what the ending of "
           "--output's FILE means: .csv, .json, .ndjson, .md, .parquet or .arrow; else text)",
           to_choice(request.format, kFormats)),
      flag("--limit N",
           "rows of the answer at most, or all (default: 100 in text and markdown, all "
           "in other formats)",
           to_rows(request.limit)),
      flag("--memory SIZE",
           "memory of the query beside the traces: 2G, 512M (default: a quarter of the machine's)",
           to(request.memory_bytes,
              [](std::string_view name, std::string_view typed) {
                return byte_count(name, typed, std::int64_t{64} << 20);
              })),
      flag("--timeout TIME", "stop the query after this time: 30s, 5m (default: none)",
           to(request.timeout_ms,
              [](std::string_view name, std::string_view typed) {
                return duration_ms(name, typed, 1);
              })),
      flag("--unsafe",
           "allow every statement of DuckDB: files are read and written with your rights",
           to(request.unsafe)),
      output_flag(request.output)};
  std::ranges::copy(load_flags(request.load), std::back_inserter(flags));
  return flags;
}

Result<void> complete_query(QueryRequest& request, const Arguments& arguments) {
  std::vector<std::string> words = arguments.positionals;
  if (request.list) {
    if (words.empty()) return {};
    return bad_request("--list takes no trace", "--list", "`strobe query --list`");
  }
  if (words.empty()) {
    return bad_request("no trace was given", "",
                       "`strobe query trace.json \"select * from kernels limit 10\"`");
  }
  const std::string& last = words.back();
  const bool is_question = query::find_question(last) != nullptr || last.ends_with(".sql");
  if (is_question || (looks_like_sql(last) && !exists(last))) {
    STROBE_TRY(request.sql, sql_of(last));
    words.pop_back();
  } else if (words.size() > 1 && !exists(last)) {
    const std::vector<std::string_view> names = question_names();
    const std::string_view meant = nearest(last, names);
    return bad_request(fmt::format("'{}' is neither a trace, nor a query, nor a question", last),
                       "",
                       meant.empty() ? "`strobe query --list` shows the questions"
                                     : fmt::format("did you mean {}?", meant));
  }
  request.runs = input_names(words);
  if (request.runs.empty() && request.save.empty()) {
    return bad_request("no trace was given", "", "name it before the query");
  }
  const auto is_table_folder = [](const std::string& run) { return query::is_table_folder(run); };
  if (std::ranges::any_of(request.runs, is_table_folder) &&
      !std::ranges::all_of(request.runs, is_table_folder)) {
    return bad_request("traces and Parquet folders cannot be queried together", "",
                       "`strobe convert trace.json -o trace.parquet/`, and query the folders");
  }
  if (request.sql.empty() && !request.save.empty()) {
    return bad_request("there is no query to save", "--save", "give the query behind the trace");
  }
  if (request.sql.empty() && isatty(STDIN_FILENO) != 0 && !request.output.empty()) {
    return bad_request("the shell shows its answers", "--output",
                       "give the query behind the trace");
  }
  if (report::is_binary(request.format)) {
    const bool is_parquet = request.format == AnswerFormat::kParquet;
    if (request.sql.empty()) {
      return bad_request("no query was given", "--format", "such a file holds one answer");
    }
    if (request.output.empty() || !is_replaced(request.output)) {
      return bad_request(
          fmt::format("{} is written to a file only", is_parquet ? "Parquet" : "Arrow"), "--format",
          is_parquet ? "`-o answer.parquet`" : "`-o answer.arrow`");
    }
  }
  const bool is_page =
      request.format == AnswerFormat::kText || request.format == AnswerFormat::kMarkdown;
  request.most_rows = request.limit.value_or(is_page ? kAnswerRowsOnAPage : 0);
  return {};
}

}  // namespace strobe::cli
