#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "strobe/base/text.h"
#include "strobe/cli/command.h"
#include "strobe/cli/convert_parquet.h"
#include "strobe/cli/convert_request.h"
#include "strobe/cli/interrupt.h"
#include "strobe/cli/output.h"
#include "strobe/cli/summary_inputs.h"
#include "strobe/cli/talk.h"
#include "strobe/readers/trace_cache.h"
#include "strobe/report/summary/import_warning.h"
#include "strobe/trace/trace_file.h"
#include "strobe/writers/byte_sink.h"
#include "strobe/writers/chrome_json.h"

namespace strobe::cli {
namespace {

namespace fs = std::filesystem;
using readers::LoadedTrace;
using writers::ByteSink;
using writers::ChromeJsonCounts;
using writers::ChromeJsonFile;

// An Output as the end of a chain of sinks. Ctrl-C ends the writing.
class OutputSink final : public ByteSink {
 public:
  OutputSink(Output& output, Progress& progress) : output_(output), progress_(progress) {}

  Result<void> write(std::string_view bytes) override {
    STROBE_TRY_VOID(check_interrupted());
    written_bytes_ += bytes.size();
    progress_.show(
        fmt::format("writing: {}", decimal_bytes_text(static_cast<double>(written_bytes_))));
    return output_.write(bytes);
  }
  Result<void> finish() override { return {}; }

 private:
  Output& output_;
  Progress& progress_;
  std::uint64_t written_bytes_ = 0;
};

std::unique_ptr<ByteSink> sink_to(Output& output, ConvertFormat format, Progress& progress) {
  auto sink = std::make_unique<OutputSink>(output, progress);
  const Compression compression = compression_of(format);
  if (compression == Compression::kNone) return sink;
  return writers::in_background(writers::pack(std::move(sink), compression));
}

Result<void> refuse_own_input(const std::vector<fs::path>& inputs, const std::string& output) {
  for (const fs::path& input : inputs) {
    std::error_code ignored;
    if (!fs::equivalent(input, output, ignored) || !is_replaced(output)) continue;
    return bad_request(fmt::format("'{}' is an input as well", output), "--output",
                       "name another file");
  }
  return {};
}

bool holds_nothing(const Trace& trace) {
  return trace.slice_count() == 0 && trace.instants().size() == 0 && trace.counters().size() == 0;
}

// Loads the traces of a conversion one after the other.
class Conversion {
 public:
  Conversion(const ConvertRequest& request, std::vector<fs::path> traces, const Terminal& terminal)
      : request_(request),
        traces_(std::move(traces)),
        names_(std::vector<std::string>(traces_.begin(), traces_.end())),
        terminal_(terminal),
        stages_(terminal) {}

  Result<void> run() {
    STROBE_TRY_VOID(write());
    tell_lanes();
    tell_written();
    return {};
  }

 private:
  Result<void> write() {
    if (request_.is_folder) return fill_folder();
    STROBE_TRY_VOID(refuse_own_input(traces_, request_.output));
    return request_.format == ConvertFormat::kColumns ? write_only_columns() : write_one_file();
  }

  Result<LoadedTrace> load(const fs::path& path, Progress& progress) {
    STROBE_TRY_VOID(check_interrupted());
    const readers::LoadOptions options = load_options(progress, request_.load.threads);
    STROBE_TRY(LoadedTrace loaded,
               readers::read_trace_cached(path, options, cache_options(request_.load)));
    stages_.loaded(loaded);
    const std::string warning = report::import_warning(loaded.path, loaded.report);
    if (!warning.empty()) warn(terminal_, warning);
    if (!holds_nothing(loaded.trace)) return loaded;
    return Error{.code = ErrorCode::kTooLittleData,
                 .what = "there is nothing to convert",
                 .where = path.string(),
                 .hint = ""};
  }

  std::string loading_text(const fs::path& path) const {
    return fmt::format("loading {}", path.string());
  }

  // The file of a single trace, or of all.
  Result<void> write_one_file() {
    STROBE_TRY(Output output, Output::open(request_.output));
    Progress writing(terminal_, "writing");
    const std::unique_ptr<ByteSink> sink = sink_to(output, request_.format, writing);
    ChromeJsonFile file(*sink, {.use_lanes = request_.use_lanes});
    for (const fs::path& path : traces_) {
      Progress loading(terminal_, loading_text(path));
      STROBE_TRY(const LoadedTrace loaded, load(path, loading));
      stages_.begin();
      if (traces_.size() == 1) {
        STROBE_TRY_VOID(file.add_only(loaded.trace));
      } else {
        const TraceName name = names_.next(loaded.trace.metadata().distributed.rank);
        STROBE_TRY_VOID(file.add_one_of_several(loaded.trace, name.label));
      }
    }
    STROBE_TRY_VOID(finish(file, output, request_.output));
    stages_.end("write");
    return {};
  }

  // Ranks share a clock, so that tools which compare their times see the same one.
  Result<void> write_rank(const LoadedTrace& loaded, const TraceName& name,
                          const std::string& path) {
    STROBE_TRY(Output output, Output::open(path));
    Progress writing(terminal_, "writing");
    const std::unique_ptr<ByteSink> sink = sink_to(output, request_.format, writing);
    ChromeJsonFile file(*sink, {.use_lanes = request_.use_lanes, .clock_ns = clock_ns_});
    std::optional<writers::GivenRank> rank;
    if (name.rank && traces_.size() > 1) {
      rank = {.rank = *name.rank, .world_size = static_cast<std::int32_t>(traces_.size())};
    }
    STROBE_TRY_VOID(file.add_only(loaded.trace, rank));
    if (file.clock_ns() != 0) clock_ns_ = file.clock_ns();
    return finish(file, output, path);
  }

  Result<void> finish(ChromeJsonFile& file, Output& output, const std::string& path) {
    STROBE_TRY(const ChromeJsonCounts counts, file.finish());
    STROBE_TRY_VOID(output.commit());
    moved_.moved_slices += counts.moved_slices;
    moved_.lanes += counts.lanes;
    count_written(path);
    return {};
  }

  Result<void> fill_folder() {
    std::error_code error;
    const bool is_new = fs::create_directories(request_.output, error);
    if (error) {
      return Error{.code = ErrorCode::kCannotWrite,
                   .what = "the folder cannot be created: " + error.message(),
                   .where = request_.output,
                   .hint = ""};
    }
    Result<void> filled = fill_existing_folder();
    if (!filled && is_new) fs::remove(request_.output, error);  // only if it is still empty
    return filled;
  }

  Result<void> fill_existing_folder() {
    for (const fs::path& path : traces_) {
      Progress loading(terminal_, loading_text(path));
      STROBE_TRY(const LoadedTrace loaded, load(path, loading));
      stages_.begin();
      const TraceName name = names_.next(loaded.trace.metadata().distributed.rank);
      const std::string file = name.file + std::string(ending_of(request_.format));
      const std::string target = (fs::path(request_.output) / file).string();
      STROBE_TRY_VOID(refuse_own_input(traces_, target));
      if (request_.format == ConvertFormat::kColumns) {
        STROBE_TRY_VOID(write_columns(loaded, target));
      } else {
        STROBE_TRY_VOID(write_rank(loaded, name, target));
      }
      stages_.end("write");
    }
    return {};
  }

  Result<void> write_only_columns() {
    if (traces_.size() > 1) {
      return bad_request(
          fmt::format("a file of columns holds one trace, and there are {}", traces_.size()),
          "--output", "end it with / to get a folder with a file for each");
    }
    STROBE_TRY_VOID(check_writable(request_.output));
    Progress loading(terminal_, loading_text(traces_[0]));
    STROBE_TRY(const LoadedTrace loaded, load(traces_[0], loading));
    stages_.begin();
    STROBE_TRY_VOID(write_columns(loaded, request_.output));
    stages_.end("write");
    return {};
  }

  // Like an Output, the file appears complete or not at all.
  Result<void> write_columns(const LoadedTrace& loaded, const std::string& path) {
    STROBE_TRY_VOID(check_writable(path));
    const std::string temporary = fmt::format("{}.strobe-{}", path, getpid());
    remember_unfinished_file(temporary);
    Result<void> written = write_trace_file(temporary, loaded.trace, loaded.report, {});
    if (written) written = publish(temporary, path);
    if (!written) unlink(temporary.c_str());
    remember_unfinished_file("");
    if (written) count_written(path);
    return written;
  }

  // The cache's files are for their owner only; this one is as readable as any other.
  static Result<void> publish(const std::string& temporary, const std::string& path) {
    STROBE_TRY_VOID(check_interrupted());
    const mode_t mask = umask(0);
    umask(mask);
    const bool is_done = chmod(temporary.c_str(), 0666 & ~mask) == 0 &&
                         std::rename(temporary.c_str(), path.c_str()) == 0;
    if (is_done) return {};
    return Error{.code = ErrorCode::kCannotWrite,
                 .what = "the finished file cannot be given its name",
                 .where = path,
                 .hint = ""};
  }

  // Not what went to stdout, a pipe or a device.
  void count_written(const std::string& path) {
    if (!is_replaced(path)) return;
    std::error_code failed;
    const std::uintmax_t bytes = fs::file_size(path, failed);
    if (failed) return;
    ++written_files_;
    written_bytes_ += bytes;
  }

  void tell_written() const {
    if (written_files_ == 0 || terminal_.quiet) return;
    const std::string size = decimal_bytes_text(static_cast<double>(written_bytes_));
    const std::string_view path = request_.output;
    say(request_.is_folder ? fmt::format("strobe: wrote {} to {} ({})\n",
                                         counted(written_files_, "file"), path, size)
                           : fmt::format("strobe: wrote {} ({})\n", path, size));
    say(request_.format == ConvertFormat::kColumns
            ? fmt::format("  next: strobe summary {}\n", path)
            : fmt::format("  next: open {} at https://ui.perfetto.dev\n",
                          written_files_ == 1 ? "it" : "one of them"));
  }

  void tell_lanes() const {
    const ChromeJsonCounts& counts = moved_;
    if (counts.moved_slices == 0 || !terminal_.warns()) return;
    say(fmt::format(
        "strobe: {} other slices of the same thread; viewers drop such slices, so {} on "
        "{} beside it\n",
        counted(counts.moved_slices, "slice crosses", "slices cross"),
        plural(counts.moved_slices, "it stands", "they stand"), counted(counts.lanes, "lane")));
  }

  const ConvertRequest& request_;
  std::vector<fs::path> traces_;
  TraceNames names_;
  const Terminal& terminal_;
  Stages stages_;
  std::optional<std::int64_t> clock_ns_;  // of the first rank that needed one
  ChromeJsonCounts moved_;                // of all files
  std::uint64_t written_files_ = 0;
  std::uint64_t written_bytes_ = 0;
};

Result<void> convert(const ConvertRequest& request, const Terminal& terminal) {
  if (request.format == ConvertFormat::kParquet) return convert_to_parquet(request, terminal);
  STROBE_TRY(SummaryInputs inputs, find_inputs(request.inputs));
  return Conversion(request, std::move(inputs.traces), terminal).run();
}

}  // namespace

Command convert_command() {
  Command command = {
      .name = "convert",
      .summary = "write a trace or a recorded run as JSON, as Parquet, or as strobe's columns",
      .positionals = "TRACE|DIR...",
      .positionals_help =
          "anything that `strobe summary` reads: traces of one run, one per rank, recognised by "
          "content; - is stdin; or a folder with one trace, one per rank, or a recorded run",
      .examples = {{"strobe convert run/ -o trace.json.gz",
                    "a recorded run, for Perfetto and chrome://tracing"},
                   {"strobe convert rank*.json -o ranks/",
                    "one file per rank, for HolisticTraceAnalysis"},
                   {"strobe convert rank*.json -o all.json.gz", "all ranks in one timeline"},
                   {"strobe convert report.sqlite -o trace.json.gz",
                    "what Nsight Systems exported, as a trace that viewers open"},
                   {"strobe convert trace.json.gz -o trace.parquet/",
                    "a Parquet file per table, for DuckDB, polars, pandas and Spark"},
                   {"strobe convert trace.json.gz -o trace.strobe-trace",
                    "a file that strobe opens at once"}},
      .notes = {
          "JSON is written as PyTorch's profiler writes it. The categories and arguments of a "
          "trace of JSON events stay as they are; strobe reads the result as the same trace.",
          "Several traces in one file: every process keeps its number unless another trace has "
          "it, and its name begins with the rank. Perfetto shows such a file; for strobe and "
          "HolisticTraceAnalysis write a folder.",
          "A slice that begins inside another one of its thread and ends outside of it cannot be "
          "drawn in one stack. It gets a lane beside its thread, named after it; strobe puts it "
          "back when it reads the file.",
          "Exit codes: 0 converted, 2 bad command line, 3 a trace cannot be read or FILE cannot "
          "be written, 70 a bug in strobe, 130 interrupted."}};
  return with_request(std::move(command), convert_flags, complete_convert, convert);
}

}  // namespace strobe::cli
