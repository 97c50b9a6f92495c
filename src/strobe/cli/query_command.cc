#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <stop_token>
#include <thread>

#include <fmt/format.h>

#include "strobe/cli/command.h"
#include "strobe/cli/help.h"
#include "strobe/cli/interrupt.h"
#include "strobe/cli/output.h"
#include "strobe/cli/query_request.h"
#include "strobe/cli/talk.h"
#include "strobe/query/query.h"
#include "strobe/query/questions.h"
#include "strobe/readers/run_reader.h"
#include "strobe/report/query/answer_text.h"
#include "strobe/report/summary/import_warning.h"

namespace strobe::cli {
namespace {

constexpr std::size_t kPieceBytes = 1 << 20;

std::string listing(const Terminal& terminal) {
  std::string text = "Questions (strobe query TRACE NAME)\n";
  std::size_t width = 0;
  for (const query::Question& question : query::questions()) {
    width = std::max(width, question.name.size());
  }
  const std::vector<query::SchemaTable> tables = query::schema();
  for (const query::SchemaTable& table : tables) width = std::max(width, table.name.size());
  const auto line = [&](std::string_view name, std::string_view meaning) {
    text +=
        hanging_lines(fmt::format("  {:<{}}  ", name, width), width + 4, meaning, terminal.columns);
  };
  for (const query::Question& question : query::questions()) {
    line(question.name, question.meaning);
  }
  text += "\nTables (strobe query TRACE \"describe NAME\")\n";
  for (const query::SchemaTable& table : tables) line(table.name, table.meaning);
  return text;
}

Result<std::vector<Run>> load_runs(const QueryRequest& request, const Terminal& terminal) {
  std::vector<Run> runs;
  for (const std::string& path : request.runs) {
    Progress progress(terminal, fmt::format("loading {}", path));
    STROBE_TRY(Run run, readers::read_run(path, load_options(progress, request.load.threads),
                                          cache_options(request.load)));
    // Two runs of one name are told apart by what was typed.
    const bool is_taken = std::ranges::find(runs, run.label, &Run::label) != runs.end();
    if (is_taken) run.label = path;
    for (const RankCapture& rank : run.ranks) {
      const std::string warning = report::import_warning(rank.path, rank.import);
      if (!warning.empty()) warn(terminal, warning);
    }
    runs.push_back(std::move(run));
  }
  return runs;
}

std::vector<query::TraceInput> inputs_of(const std::vector<Run>& runs) {
  std::vector<query::TraceInput> inputs;
  for (const Run& run : runs) {
    for (const RankCapture& rank : run.ranks) {
      inputs.push_back({.run = run.label,
                        .rank = rank.rank,
                        .path = rank.path,
                        .trace = rank.trace.get(),
                        .import = &rank.import,
                        .metrics = &rank.metrics});
    }
  }
  return inputs;
}

Result<void> write_answer(query::Answer& answer, const QueryRequest& request,
                          const Terminal& terminal, Output& output) {
  std::string text;
  const report::TextStyle style{
      .width = terminal.columns, .color = terminal.color, .unicode = terminal.unicode};
  const auto writer = report::answer_writer(request.format, answer.columns(), style, text);
  while (true) {
    STROBE_TRY(const query::Rows rows, answer.next());
    if (rows.count == 0) break;
    writer->rows(rows, text);
    if (text.size() < kPieceBytes) continue;
    STROBE_TRY_VOID(output.write(text));
    text.clear();
  }
  writer->end(answer.is_cut(), text);
  STROBE_TRY_VOID(check_interrupted());
  STROBE_TRY_VOID(output.write(text));
  return output.commit();
}

// A single call of a function cannot be stopped from outside, so the process ends a while after the
// time of the query does.
class Deadline {
 public:
  explicit Deadline(std::chrono::milliseconds timeout) {
    thread_ = std::jthread([timeout](const std::stop_token& stop) {
      std::mutex mutex;
      std::unique_lock lock(mutex);
      std::condition_variable_any wakes;
      wakes.wait_for(lock, stop, timeout + std::chrono::seconds(2),
                     [&] { return stop.stop_requested(); });
      if (stop.stop_requested()) return;
      say("strobe: --timeout: the query does not stop\n");
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

Result<void> query_traces(const QueryRequest& request, const Terminal& terminal) {
  if (request.list) return write_to_stdout(listing(terminal));
  if (!request.save.empty()) STROBE_TRY_VOID(save(request));
  if (request.runs.empty()) return {};
  STROBE_TRY_VOID(query::engine_facts());  // before a long load
  STROBE_TRY(Output output, Output::open(request.output));
  Stages stages(terminal);
  STROBE_TRY(const std::vector<Run> runs, load_runs(request, terminal));
  stages.end("load");
  STROBE_TRY(query::Engine engine,
             query::Engine::open(inputs_of(runs), {.threads = request.load.threads,
                                                   .memory_bytes = request.memory_bytes,
                                                   .unsafe = request.unsafe}));
  stages.end("open engine");
  query::Limits limits{.timeout = std::chrono::milliseconds(request.timeout_ms),
                       .cancelled = &interrupted()};
  const Deadline deadline(limits.timeout);
  if (request.most_rows != 0) limits.most_rows = request.most_rows;
  STROBE_TRY(const auto answer, engine.ask(request.sql, limits));
  STROBE_TRY_VOID(write_answer(*answer, request, terminal, output));
  stages.end("query");
  return {};
}

}  // namespace

Command query_command() {
  Command command = {
      .name = "query",
      .summary = "ask your own questions in SQL",
      .positionals = "TRACE|DIR... QUERY",
      .positionals_help =
          "traces as for `strobe summary`; each is a run, and a folder is a run with its ranks. "
          "The last word is the query: SQL, the name of a built-in question, or a file that ends "
          "in .sql",
      .examples =
          {{"strobe query trace.json.gz \"select name, sum(dur) from kernels group by name\"",
            "the time that each kernel took"},
           {"strobe query trace.json.gz top-operators", "a built-in question"},
           {"strobe query --list", "all of them, and all tables"},
           {"strobe query before/ after/ \"select run, count(*) from kernels group by run\"",
            "several runs"},
           {"strobe query trace.json.gz \"from slices\" -o slices.csv", "a table as a file"}},
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
