#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

#include <fmt/format.h>

#include "strobe/base/text.h"
#include "strobe/cli/command.h"
#include "strobe/cli/interrupt.h"
#include "strobe/cli/line_editor.h"
#include "strobe/cli/names.h"
#include "strobe/cli/output.h"
#include "strobe/cli/query_request.h"
#include "strobe/cli/query_runs.h"
#include "strobe/cli/query_shell.h"
#include "strobe/cli/talk.h"
#include "strobe/query/arrow_file.h"
#include "strobe/query/query.h"
#include "strobe/query/questions.h"
#include "strobe/query/sql_text.h"
#include "strobe/query/table_files.h"
#include "strobe/report/query/answer_text.h"

namespace strobe::cli {
namespace {

constexpr std::size_t kPieceBytes = 1 << 20;

std::string listing(const Terminal& terminal) {
  return "Questions (strobe query TRACE NAME)\n" + questions_text(terminal) +
         "\nTables (strobe query TRACE \"describe NAME\")\n" + tables_text(terminal);
}

// Shows how far a query is, until its answer begins.
class QueryProgress {
 public:
  explicit QueryProgress(const Terminal& terminal) { line_.emplace(terminal, "querying"); }

  void show(std::uint64_t rows_read, std::uint64_t rows) {
    const std::lock_guard lock(mutex_);
    if (!line_) return;
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    const std::string of_rows =
        rows == 0 ? ""
                  : fmt::format(", {} of {} rows read", with_commas(std::to_string(rows_read)),
                                with_commas(std::to_string(rows)));
    line_->show(fmt::format("querying: {:.1f} s{}, Ctrl-C stops it", seconds, of_rows));
  }
  void end() {
    const std::lock_guard lock(mutex_);
    line_.reset();
  }

 private:
  std::mutex mutex_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::optional<Progress> line_;
};

query::Limits limits_of(const QueryRequest& request) {
  query::Limits limits{.timeout = std::chrono::milliseconds(request.timeout_ms),
                       .cancelled = &interrupted()};
  if (request.most_rows != 0) limits.most_rows = request.most_rows;
  return limits;
}

// Asks one statement, and writes its answer.
Result<void> ask(query::Engine& engine, const std::string& sql, const QueryRequest& request,
                 const Terminal& terminal, Output& output) {
  QueryProgress progress(terminal);
  query::Limits limits = limits_of(request);
  if (terminal.shows_progress()) {
    limits.progress = [&progress](std::uint64_t rows_read, std::uint64_t rows) {
      progress.show(rows_read, rows);
    };
  }
  STROBE_TRY(const auto answer, engine.ask(sql, limits));
  std::string text;
  const report::TextStyle style{
      .width = terminal.columns, .color = terminal.color, .unicode = terminal.unicode};
  const auto writer = report::answer_writer(request.format, answer->columns(), style, text);
  while (true) {
    STROBE_TRY(const query::Rows rows, answer->next());
    if (rows.count == 0) break;
    writer->rows(rows, text);
    if (text.size() < kPieceBytes) continue;
    progress.end();
    STROBE_TRY_VOID(output.write(text));
    text.clear();
  }
  writer->end(answer->is_cut(), text);
  progress.end();
  STROBE_TRY_VOID(check_interrupted());
  return output.write(text);
}

Result<void> write_arrow(query::Engine& engine, const QueryRequest& request, Output& output) {
  constexpr std::size_t kRowsOfABatch = 1 << 16;
  STROBE_TRY(const auto answer, engine.ask(request.sql, limits_of(request)));
  std::string bytes;
  query::ArrowFile file(answer->columns(), bytes);
  while (true) {
    STROBE_TRY(const auto columns, query::fill_answer(*answer, kRowsOfABatch));
    if (columns.empty() || columns.front().column->rows == 0) break;
    STROBE_TRY_VOID(file.add(columns, bytes));
    STROBE_TRY_VOID(output.write(bytes));
    bytes.clear();
  }
  file.end(bytes);
  return output.write(bytes);
}

// A single call of a function cannot be stopped from outside, so the process ends a while after the
// time of the query does.
class Deadline {
 public:
  // 0: none.
  explicit Deadline(std::int64_t timeout_ms) {
    if (timeout_ms == 0) return;
    thread_ = std::jthread([timeout_ms](const std::stop_token& stop) {
      std::mutex mutex;
      std::unique_lock lock(mutex);
      std::condition_variable_any wakes;
      wakes.wait_for(lock, stop, std::chrono::milliseconds(timeout_ms) + std::chrono::seconds(2),
                     [&] { return stop.stop_requested(); });
      if (stop.stop_requested()) return;
      say("strobe: --timeout: the query does not stop\n");
      remove_unfinished_file();
      std::_Exit(kOverdueExit);
    });
  }

 private:
  static constexpr int kOverdueExit = 3;  // as after any timeout
  std::jthread thread_;
};

Result<void> save(const QueryRequest& request) {
  std::string path = request.save;
  if (!path.ends_with(".sql")) path += ".sql";
  std::string sql = request.sql;
  if (!sql.ends_with('\n')) sql += '\n';
  return write_whole(path, sql);
}

// What is asked, and the runs that it points to.
struct Source {
  std::vector<QueriedRun> runs;
  query::Engine engine;
};

// `parquet`: a file that is going to be written; "": none.
Result<Source> open_source(const QueryRequest& request, const std::string& parquet,
                           const Terminal& terminal, Stages& stages) {
  query::EngineOptions options{.threads = request.load.threads,
                               .memory_bytes = request.memory_bytes,
                               .unsafe = request.unsafe};
  if (!parquet.empty()) options.outputs = {parquet};
  if (std::ranges::any_of(request.runs,
                          [](const std::string& run) { return query::is_table_folder(run); })) {
    STROBE_TRY(query::Engine engine, query::Engine::open_folders(request.runs, options));
    stages.end("open engine");
    return Source{{}, std::move(engine)};
  }
  STROBE_TRY(std::vector<QueriedRun> runs, load_runs(request.runs, request.load, terminal));
  stages.end("load");
  STROBE_TRY(query::Engine engine, query::Engine::open(query_inputs(runs), options));
  stages.end("open engine");
  return Source{std::move(runs), std::move(engine)};
}

// Statements from a pipe, one after the other; the first that fails ends it.
Result<void> ask_statements(query::Engine& engine, const QueryRequest& request,
                            const Terminal& terminal, Output& output) {
  std::string waiting;
  bool was_asked = false;
  const auto ask_one = [&](const std::string& sql) -> Result<void> {
    if (query::is_blank_sql(sql)) return {};
    was_asked = true;
    const query::Question* question = query::find_question(trimmed(sql));
    return ask(engine, question == nullptr ? sql : std::string(question->sql), request, terminal,
               output);
  };
  const std::unique_ptr<LineEditor> lines = open_line_editor("", {});
  for (TypedLine line = lines->read(""); line.kind == TypedLine::Kind::kLine;
       line = lines->read("")) {
    waiting += line.text + "\n";
    while (const auto statement = query::take_statement(waiting)) {
      STROBE_TRY_VOID(ask_one(*statement));
    }
  }
  STROBE_TRY_VOID(check_interrupted());
  STROBE_TRY_VOID(ask_one(waiting));
  if (was_asked) return {};
  return bad_request("no query was given", "",
                     "`strobe query trace.json \"select * from kernels limit 10\"`, one of `strobe "
                     "query --list`, or statements on stdin");
}

std::string history_path() {
  std::string folder = environment_variable("XDG_STATE_HOME");
  if (folder.empty()) folder = environment_variable("HOME") + "/.local/state";
  return folder + "/strobe/query_history";
}

Result<void> run_shell(query::Engine& engine, const QueryRequest& request,
                       const Terminal& terminal) {
  const std::unique_ptr<LineEditor> editor = open_line_editor(history_path(), query_completions);
  if (!terminal.quiet) say("strobe query: .help shows the commands, Ctrl-D leaves\n");
  return run_query_shell(
      *editor,
      [&](const std::string& sql) -> Result<void> {
        STROBE_TRY(Output output, Output::open(""));
        STROBE_TRY_VOID(ask(engine, sql, request, terminal, output));
        return output.commit();
      },
      terminal);
}

Result<void> query_traces(const QueryRequest& request, const Terminal& terminal) {
  if (request.list) return write_to_stdout(listing(terminal));
  if (!request.save.empty()) STROBE_TRY_VOID(save(request));
  if (request.runs.empty()) return {};
  STROBE_TRY_VOID(query::engine_facts());  // before a long load
  Stages stages(terminal);
  if (request.sql.empty() && isatty(STDIN_FILENO) != 0) {
    STROBE_TRY(Source source, open_source(request, "", terminal, stages));
    return run_shell(source.engine, request, terminal);
  }
  STROBE_TRY(Output output, Output::open(request.output));
  const bool is_parquet = request.format == report::AnswerFormat::kParquet;
  STROBE_TRY(Source source,
             open_source(request, is_parquet ? output.temporary() : "", terminal, stages));
  const Deadline deadline(request.timeout_ms);
  if (is_parquet) {
    STROBE_TRY_VOID(
        source.engine.write_parquet(request.sql, output.temporary(), limits_of(request)));
  } else if (request.format == report::AnswerFormat::kArrow) {
    STROBE_TRY_VOID(write_arrow(source.engine, request, output));
  } else if (request.sql.empty()) {
    STROBE_TRY_VOID(ask_statements(source.engine, request, terminal, output));
  } else {
    STROBE_TRY_VOID(ask(source.engine, request.sql, request, terminal, output));
  }
  STROBE_TRY_VOID(output.commit());
  stages.end("query");
  return {};
}

}  // namespace

Command query_command() {
  Command command = {
      .name = "query",
      .summary = "ask your own questions in SQL",
      .positionals = "TRACE|DIR... [QUERY]",
      .positionals_help =
          "traces as for `strobe summary`; each is a run, and a folder is a run with its ranks. A "
          "list of kernels with counters or a run of `strobe bench` is a run, too. "
          "The last word is the query: SQL, the name of a built-in question, or a file that ends "
          "in .sql. Without it, a terminal gets a shell, and statements are read from a pipe. A "
          "folder of `strobe convert -o trace.parquet/` is queried like the trace",
      .examples =
          {{"strobe query trace.json.gz \"select name, sum(dur) from kernels group by name\"",
            "the time that each kernel took"},
           {"strobe query trace.json.gz top-operators", "a built-in question"},
           {"strobe query --list", "all of them, and all tables"},
           {"strobe query before/ after/ \"select run, count(*) from kernels group by run\"",
            "several runs"},
           {"strobe query trace.json.gz \"from slices\" -o slices.parquet", "a table as a file"},
           {"strobe query trace.json.gz", "a shell, with history and completion"}},
      .notes = {
          "The language is DuckDB's. Times are whole nanoseconds. Every table has the columns run "
          "and rank; `describe kernels` lists the columns of a table.",
          "A query only reads, and it sees no file besides the traces that were opened.",
          "DuckDB is opened when a query needs it; `strobe doctor` says whether it is there and "
          "how to get it.",
          "Exit codes: 0 answered, 2 bad command line or query, 3 a trace cannot be read, FILE "
          "cannot be written or the time is over, 4 there is no DuckDB or not enough memory, 70 a "
          "bug in strobe, 130 interrupted."}};
  return with_request(std::move(command), query_flags, complete_query, query_traces);
}

}  // namespace strobe::cli
