#include "strobe/readers/trace_reader.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "strobe/base/byte_stream.h"
#include "strobe/base/file.h"
#include "strobe/base/text.h"
#include "strobe/base/threads.h"
#include "strobe/readers/classify.h"
#include "strobe/readers/event_array.h"
#include "strobe/readers/formats.h"
#include "strobe/readers/frame.h"
#include "strobe/readers/layout_loops.h"
#include "strobe/readers/merge.h"
#include "strobe/readers/recording/recording_reader.h"
#include "strobe/readers/recording/run_files.h"
#include "strobe/readers/sniff.h"
#include "strobe/readers/untimed_work.h"
#include "strobe/trace/trace_file.h"
#include "strobe/wire/run_file_chunks.h"

namespace strobe::readers {
namespace {

class Stopwatch {
 public:
  double lap_seconds() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(now - std::exchange(last_, now)).count();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// A trace during loading: the scanned events and the text around them.
struct Scanned {
  Frame frame;
  const Dialect* dialect = nullptr;
  std::vector<Shard> shards;
  std::vector<Piece> pieces;
  ImportReport report;  // of everything outside the pieces
};

Error interrupted() { return {ErrorCode::kInterrupted, "loading was interrupted", "", ""}; }

const LayoutLoops& loops_of(const LoadOptions& options) {
  return options.layout_loops != nullptr ? *options.layout_loops : layout_loops().front();
}

std::uint64_t entries_of(const std::vector<Piece>& pieces) {
  std::uint64_t entries = 0;
  for (const Piece& piece : pieces) entries += piece.scan.entries;
  return entries;
}

Result<void> check_event_count(const std::vector<Piece>& pieces, const LoadOptions& options) {
  if (entries_of(pieces) <= std::min(options.most_events, kMostEvents)) return {};
  return Error{ErrorCode::kMalformed,
               "the trace has more than " + counted(options.most_events, "event") +
                   ", the most that strobe reads",
               "", "record fewer steps"};
}

// Reports how the events ended.
void report_ending(const Window* window, Scanned& scanned) {
  const ArrayScan& last = scanned.pieces.back().scan;
  if (last.end != ArrayEnd::kTextEnded) return;
  if (window != nullptr && window->damage()) {
    scanned.report.add(ImportIssue::kBadCompressedData, last.next_offset,
                       window->damage()->what + " (" + window->damage()->where + ")");
  }
  // A bare array may lack its end; an object may not.
  if (!last.inside_event && !scanned.frame.is_object) return;
  scanned.report.add(ImportIssue::kTruncatedFile, last.next_offset,
                     (last.inside_event ? "inside entry " : "after entry ") +
                         std::to_string(entries_of(scanned.pieces)));
}

Result<Scanned> scan_stream(std::unique_ptr<ByteStream> stream, std::uint64_t file_bytes,
                            const LoadOptions& options) {
  Scanned scanned;
  Window window(*stream, 0);
  const char* p = nullptr;
  STROBE_TRY(scanned.frame, read_front(window, p));
  scanned.dialect = &choose_dialect(scanned.frame.head);
  scanned.shards.emplace_back(*scanned.dialect, options.keep_args, loops_of(options));
  Shard& shard = scanned.shards.front();
  Piece piece;
  piece.first_offset = window.offset_of(p);
  const ScanPulse pulse = [&](std::uint64_t) {
    if (options.progress) options.progress({stream->consumed_bytes(), file_bytes});
    return options.cancelled == nullptr || !*options.cancelled;
  };
  piece.scan = scan_event_array(window, p, std::numeric_limits<std::uint64_t>::max(), shard,
                                piece.report, pulse);
  if (piece.scan.end == ArrayEnd::kCancelled) return interrupted();
  piece.end = shard.marks();
  piece.args = shard.take_args();
  shard.count_events_into(piece.report);
  scanned.pieces.push_back(std::move(piece));
  STROBE_TRY_VOID(check_event_count(scanned.pieces, options));
  report_ending(&window, scanned);
  if (scanned.pieces.back().scan.end == ArrayEnd::kClosed && scanned.frame.is_object) {
    read_back(window, p, scanned.frame.head, scanned.report);
  }
  scanned.report.text_bytes = window.offset_of(window.end());
  return scanned;
}

Result<Scanned> scan_source(const TextSource& source, const LoadOptions& options) {
  Scanned scanned;
  const auto stream = source.stream_from(0);
  Window window(*stream, 0);
  const char* p = nullptr;
  STROBE_TRY(scanned.frame, read_front(window, p));
  scanned.dialect = &choose_dialect(scanned.frame.head);
  bool cancelled = false;
  const ScanPulse pulse = [&](std::uint64_t offset) {
    if (options.progress) options.progress({offset, source.size_bytes()});
    cancelled = options.cancelled != nullptr && *options.cancelled;
    return !cancelled;
  };
  ParallelScan parallel =
      scan_in_parallel(source, window.offset_of(p), options.piece_bytes, options.thread_count(),
                       *scanned.dialect, options.keep_args, loops_of(options), pulse);
  if (cancelled) return interrupted();
  scanned.shards = std::move(parallel.shards);
  scanned.pieces = std::move(parallel.pieces);
  STROBE_TRY_VOID(check_event_count(scanned.pieces, options));
  report_ending(nullptr, scanned);
  const ArrayScan& last = scanned.pieces.back().scan;
  if (last.end == ArrayEnd::kClosed && scanned.frame.is_object) {
    const auto back_stream = source.stream_from(last.next_offset);
    Window back(*back_stream, last.next_offset, 1 << 16);
    const char* q = back.end();
    read_back(back, q, scanned.frame.head, scanned.report);
  }
  scanned.report.text_bytes = source.size_bytes();
  return scanned;
}

LoadedTrace finish_trace(Scanned scanned, std::uint64_t file_bytes, const LoadOptions& options,
                         Stopwatch& watch) {
  LoadedTrace loaded;
  loaded.stages.push_back({"read and scan", watch.lap_seconds()});
  const Dialect& dialect = *scanned.dialect;
  TraceBuilder builder;
  builder.metadata().traits = dialect.traits;
  for (const auto& [key, json] : scanned.frame.head.members)
    read_member(key, json, builder.metadata());
  FileOrder order;
  merge_pieces(scanned.shards, scanned.pieces, builder, order, loaded.report);
  scanned.shards.clear();
  loaded.report.append(scanned.report);
  loaded.report.file_bytes = file_bytes;
  loaded.report.text_bytes = scanned.report.text_bytes;
  loaded.stages.push_back({"merge", watch.lap_seconds()});
  classify_slices(builder, dialect);
  if (dialect.complete != nullptr) dialect.complete(builder);
  if (dialect.zero_is_no_time) leave_out_untimed_work(builder, order, loaded.report);
  check_launches(builder.slices(), loaded.report);
  if (dialect.finish != nullptr) dialect.finish(builder, order, loaded.report);
  if (options.add_facts) options.add_facts(builder.metadata());
  if (loaded.report.event_count == 0) loaded.report.add(ImportIssue::kNoEvents, 0);
  loaded.trace = std::move(builder).build();
  loaded.stages.push_back({"classify", watch.lap_seconds()});
  return loaded;
}

bool is_worth_splitting(const TextSource& source, const LoadOptions& options) {
  return options.thread_count() > 1 && source.size_bytes() >= 2 * options.piece_bytes;
}

Result<Scanned> scan_plain(const TextSource& source, const LoadOptions& options) {
  if (is_worth_splitting(source, options)) return scan_source(source, options);
  return scan_stream(source.stream_from(0), source.size_bytes(), options);
}

Result<Scanned> scan_packed(std::unique_ptr<ByteStream> stream, std::uint64_t file_bytes,
                            const LoadOptions& options) {
  if (options.thread_count() > 1) stream = prefetch(std::move(stream));
  return scan_stream(std::move(stream), file_bytes, options);
}

Result<Scanned> scan_file(File file, const LoadOptions& options) {
  char first[8] = {};
  if (file.is_seekable()) {
    STROBE_TRY(const std::size_t bytes, file.read_at(0, first));
    if (sniff_compression({first, bytes}) == Compression::kNone) {
      return scan_plain(TextSource(file), options);
    }
  }
  const std::uint64_t file_bytes = file.size_bytes();
  STROBE_TRY(auto stream, open_stream(std::move(file)));
  return scan_packed(std::move(stream), file_bytes, options);
}

Result<Scanned> scan_bytes(std::string_view bytes, const LoadOptions& options) {
  if (bytes.empty()) return Error{ErrorCode::kMalformed, "there is nothing to read", "", ""};
  if (sniff_compression(bytes) == Compression::kNone) return scan_plain(TextSource(bytes), options);
  STROBE_TRY(auto stream, open_stream(bytes));
  return scan_packed(std::move(stream), bytes.size(), options);
}

// Adds the name to the trace and its errors.
Result<LoadedTrace> loaded_as(const std::string& name, Result<Scanned> scanned,
                              std::uint64_t file_bytes, const LoadOptions& options,
                              Stopwatch& watch) {
  STROBE_TRY(Scanned found, in_file(std::move(scanned), name));
  LoadedTrace loaded = finish_trace(std::move(found), file_bytes, options, watch);
  loaded.path = name;
  return loaded;
}

bool is_recording(const File& file) {
  char first[sizeof wire::kChunkMagic] = {};
  if (!file.is_seekable()) return false;
  const Result<std::size_t> bytes = file.read_at(0, first);
  return bytes && wire::begins_like_run_file({first, *bytes});
}

// A folder that is not a run's is an error when it is opened.
Result<std::filesystem::path> trace_in_folder(const std::filesystem::path& folder) {
  if (is_run_folder(folder) || !find_run_files(folder).empty()) return only_trace_of_run(folder);
  const auto runs = numbered_runs(folder);
  if (!runs.empty()) return several_runs(folder, runs);
  return folder;
}

bool is_columns(const File& file) {
  char first[8] = {};
  if (!file.is_seekable()) return false;
  const Result<std::size_t> bytes = file.read_at(0, first);
  return bytes && is_trace_file({first, *bytes});
}

// A trace in strobe's own columns needs no reading.
Result<LoadedTrace> open_columns(const std::string& path, std::uint64_t file_bytes,
                                 Stopwatch& watch) {
  Result<TraceFile> file = map_trace_file(path);
  if (!file) {
    Error error = in_file(std::move(file).error(), path);
    error.hint = "convert the original trace again, with this version of strobe";
    return error;
  }
  LoadedTrace loaded;
  loaded.path = path;
  loaded.trace = std::move(file->trace);
  loaded.report = std::move(file->report);
  loaded.report.file_bytes = file_bytes;
  loaded.stages.push_back({"open", watch.lap_seconds()});
  return loaded;
}

}  // namespace

unsigned LoadOptions::thread_count() const {
  return threads != 0 ? threads : std::max(1u, std::thread::hardware_concurrency());
}

Result<LoadedTrace> read_trace(const std::filesystem::path& given, const LoadOptions& options) {
  Stopwatch watch;
  std::filesystem::path path = given;
  std::error_code ignored;
  if (std::filesystem::is_directory(given, ignored)) {
    if (const FolderFormat* format = find_folder_format(given)) {
      return format->read(given, options);
    }
    STROBE_TRY(path, trace_in_folder(given));
  }
  STROBE_TRY(File file, open_input(path));
  if (is_recording(file)) return read_recording(path, options);
  const std::uint64_t file_bytes = file.size_bytes();
  if (is_columns(file)) return open_columns(path.string(), file_bytes, watch);
  if (file.is_seekable()) {
    STROBE_TRY(const TraceInput input, TraceInput::open(path));
    if (const FileFormat* format = find_format(input)) return read_format(*format, input, options);
  }
  auto loaded =
      loaded_as(path.string(), scan_file(std::move(file), options), file_bytes, options, watch);
  if (!loaded) return explain_by_name(path, std::move(loaded).error());
  return loaded;
}

Result<LoadedTrace> read_trace_bytes(std::string_view bytes, const std::string& name,
                                     const LoadOptions& options) {
  Stopwatch watch;
  if (wire::begins_like_run_file(bytes)) {
    STROBE_TRY(LoadedTrace loaded, in_file(read_recording_bytes(bytes, options), name));
    loaded.path = name;
    return loaded;
  }
  const TraceInput input = TraceInput::of(bytes, name);
  if (const FileFormat* format = find_format(input)) return read_format(*format, input, options);
  return loaded_as(name, scan_bytes(bytes, options), bytes.size(), options, watch);
}

Result<std::vector<LoadedTrace>> read_traces(const std::vector<std::filesystem::path>& paths,
                                             const LoadOptions& options, const ReadOne& read_one) {
  std::vector<std::optional<Result<LoadedTrace>>> results(paths.size());
  const unsigned threads = options.thread_count();
  const auto at_once = static_cast<unsigned>(std::min<std::size_t>(threads, paths.size()));
  LoadOptions each = options;
  each.threads = std::max(1u, threads / std::max(1u, at_once));
  std::mutex progress_mutex;
  std::vector<LoadProgress> progress(paths.size());
  each_in_threads(paths.size(), at_once, [&](std::size_t i) {
    LoadOptions own = each;
    if (options.progress) {
      own.progress = [&, i](const LoadProgress& step) {
        const std::scoped_lock lock(progress_mutex);
        progress[i] = step;
        LoadProgress sum;
        for (const LoadProgress& one : progress) {
          sum.bytes_done += one.bytes_done;
          sum.bytes_total += one.bytes_total;
        }
        options.progress(sum);
      };
    }
    results[i] = read_one(paths[i], own);
  });
  std::vector<LoadedTrace> loaded;
  for (auto& result : results) {
    if (!*result) return std::move(*result).error();
    loaded.push_back(std::move(*result).value());
  }
  return loaded;
}

}  // namespace strobe::readers
