#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "strobe/base/byte_stream.h"
#include "strobe/base/file.h"
#include "strobe/cli/command.h"
#include "strobe/cli/fleet_digests.h"
#include "strobe/cli/fleet_request.h"
#include "strobe/cli/interrupt.h"
#include "strobe/cli/output.h"
#include "strobe/cli/talk.h"
#include "strobe/fleet/digest/rank_numbers.h"
#include "strobe/fleet/replay/operation_table.h"
#include "strobe/fleet/replay/replay.h"
#include "strobe/fleet/replay/traced_table.h"
#include "strobe/fleet/stragglers/stragglers.h"
#include "strobe/fleet/waits/make_job.h"
#include "strobe/fleet/world/world.h"
#include "strobe/query/query.h"
#include "strobe/report/fleet/job_report.h"
#include "strobe/report/fleet/replay_report.h"
#include "strobe/report/query/answer_text.h"
#include "strobe/report/render/document.h"

namespace strobe::cli {
namespace {

// What `strobe fleet` can be asked about; there is one function per kind below.
enum class InputKind : std::uint8_t { kOperationTable, kParquet, kOther };

// By content. A pipe can be read only once, so it is taken for a table.
Result<InputKind> kind_of(const std::string& path) {
  STROBE_TRY(File file, File::open(path));
  if (!file.is_seekable()) return InputKind::kOperationTable;
  STROBE_TRY(const auto stream, open_stream(std::move(file)));
  std::array<char, 4096> first;
  STROBE_TRY(const std::size_t size, stream->read(first));
  const std::string_view text(first.data(), size);
  if (text.starts_with("PAR1")) return InputKind::kParquet;
  return size == 0 || fleet::is_operation_table(text) ? InputKind::kOperationTable
                                                      : InputKind::kOther;
}

Error not_a_job(const std::string& path) {
  return {.code = ErrorCode::kMalformed,
          .what =
              "this is no table of operations: its first line does not name the columns "
              "dp_rank,stage,rank,step,optype,start_ts,duration,seq_id,mc,gmc",
          .where = path,
          .hint = "give the folder with the traces of all ranks, or such a table"};
}

// DuckDB reads the file, as CSV.
Result<fleet::OperationTable> read_parquet_table(const std::string& path) {
  STROBE_TRY(query::Engine engine, query::Engine::open({}, {.unsafe = true}));
  std::string quoted = path;
  for (std::size_t at = 0; (at = quoted.find('\'', at)) != std::string::npos; at += 2) {
    quoted.insert(at, 1, '\'');
  }
  const std::string sql = fmt::format("select * from read_parquet('{}')", quoted);
  STROBE_TRY(const auto answer, in_file(engine.ask(sql, {.cancelled = &interrupted()}), path));
  std::string csv;
  const auto writer = report::answer_writer(report::AnswerFormat::kCsv, answer->columns(), {}, csv);
  while (true) {
    STROBE_TRY(const query::Rows rows, answer->next());
    if (rows.count == 0) break;
    writer->rows(rows, csv);
  }
  writer->end(false, csv);
  if (!fleet::is_operation_table(csv)) return not_a_job(path);
  STROBE_TRY(const auto stream, open_stream(csv));
  return fleet::read_operation_table(*stream, path);
}

std::string replay_text(const fleet::Replay& replay, const FleetRequest& request,
                        const Terminal& terminal) {
  constexpr int kSentenceColumns = 100;
  const report::ReplayPage page = {.path = request.input, .top = request.top};
  switch (request.format) {
    case Format::kJson:
      return report::replay_json(replay, page);
    case Format::kCsv:
      return report::replay_csv(replay, page);
    case Format::kHtml:
      return report::replay_html(replay, page);
    default:
      break;
  }
  return document_text(report::replay_document(replay, page), request.format, terminal,
                       kSentenceColumns);
}

Result<void> replay_table(const FleetRequest& request, InputKind kind, const Terminal& terminal) {
  STROBE_TRY(Output output, Output::open(request.output));
  Stages stages(terminal);
  STROBE_TRY(const fleet::OperationTable table, kind == InputKind::kParquet
                                                    ? read_parquet_table(request.input)
                                                    : fleet::read_operation_table(request.input));
  stages.end("load");
  auto replay = fleet::replay(table);
  if (!replay) {
    Error error = replay.error();
    error.where = request.input;
    return error;
  }
  stages.end("replay");
  const std::string text = replay_text(*replay, request, terminal);
  stages.end("report");
  return give(output, text);
}

Result<void> write_operations(const fleet::JobDigests& found, const fleet::Job& job,
                              const FleetRequest& request) {
  const auto table = fleet::traced_table(found.digests, job);
  if (table) return write_whole(request.operations, fleet::csv_of(*table));
  Error error = table.error();
  error.where = request.input;
  return error;
}

// In one process or in several.
Result<void> explain_ranks(const FleetRequest& request, fleet::World& world,
                           const Terminal& terminal) {
  STROBE_TRY_VOID(check_writable(request.output));
  Stages stages(terminal);
  STROBE_TRY(fleet::JobDigests found, read_job(request.input, world, request.load, terminal));
  if (!world.is_first()) return {};
  STROBE_TRY_VOID(fleet::check_complete(
      found, request.allow_missing, request.input,
      {.allow_missing = "--allow-missing ",
       .one_rank = fmt::format("`strobe summary {}` says where its time went", request.input)}));
  stages.end("read");
  for (const fleet::RankDigest& digest : found.digests) {
    if (!digest.damage.empty()) warn(terminal, digest.damage);
  }
  const fleet::Job job = fleet::make_job(found.digests, {.align = request.align});
  stages.end("match");
  const bool for_tools = request.format == Format::kJson || request.format == Format::kCsv;
  const report::JobPage page = {.path = request.input,
                                .top = for_tools ? 0 : request.top,
                                .unreadable = std::move(found.unreadable),
                                .for_tools = for_tools,
                                .replay = fleet::replay_traces(found.digests, job)};
  if (!request.operations.empty()) STROBE_TRY_VOID(write_operations(found, job, request));
  const std::string text = document_text(
      report::job_document(job, fleet::find_stragglers(job), page), request.format, terminal);
  stages.end("report");
  return write_whole(request.output, text);
}

Result<void> explain_job(const FleetRequest& request, const Terminal& terminal) {
  STROBE_TRY(const auto world, fleet::open_world());
  if (std::filesystem::is_directory(request.input)) {
    return explain_ranks(request, *world, terminal);
  }
  if (!world->is_first()) return {};  // the others have nothing to do for a table
  STROBE_TRY(const InputKind kind, kind_of(request.input));
  switch (kind) {
    case InputKind::kOperationTable:
    case InputKind::kParquet:
      return replay_table(request, kind, terminal);
    case InputKind::kOther:
      break;
  }
  return not_a_job(request.input);
}

}  // namespace

Command fleet_command() {
  Command command = {
      .name = "fleet",
      .summary = "which rank of a job holds the others up, why, and what that costs",
      .positionals = "RUN|TABLE",
      .positionals_help =
          "a folder with one trace per rank; or a table of operations of a pipeline job as CSV "
          "(plain, .gz or .zst) or Parquet, with the columns "
          "dp_rank, stage, rank, step, optype, start_ts, duration, seq_id, mc, gmc (times in "
          "seconds); - is stdin",
      .examples = {{"strobe fleet run/", "who holds the job up, then who waited for whom"},
                   {"mpirun -n 8 strobe fleet run/", "the same answer, from eight processes"},
                   {"srun -N 16 strobe fleet run/", "or on many machines"},
                   {"strobe fleet ops.csv.gz", "what stragglers cost a pipeline job, by replay"},
                   {"strobe fleet run/ --operations ops.csv", "that table, if ranges name them"},
                   {"strobe fleet run/ -o job.html", "a page with a heat map"},
                   {"strobe fleet run/ -o job.json", "every number of every rank and step"}},
      .notes = {
          "Traces are read once; what an answer needs of them is kept in the cache, so that a "
          "second start is quick.",
          "The operations of a table are replayed: each starts as soon as what it waits for has "
          "ended, "
          "and takes its recorded time or that of others of its kind. A slowdown of 1.18 "
          "means that a step takes 1.18 times as long as with times of others.",
          "Exit codes: 0 answered, 2 bad command line, 3 an input cannot be read or is "
          "incomplete, 70 a bug in strobe, 130 interrupted."}};
  return with_request(std::move(command), fleet_flags, complete_fleet, explain_job);
}

}  // namespace strobe::cli
