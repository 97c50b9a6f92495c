#include "strobe/readers/recording/recording_reader.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "strobe/base/file.h"
#include "strobe/base/text.h"
#include "strobe/readers/recording/allocation_rows.h"
#include "strobe/readers/recording/device_rows.h"
#include "strobe/readers/recording/host_rows.h"
#include "strobe/readers/recording/launch_numbers.h"
#include "strobe/readers/recording/process_family.h"
#include "strobe/readers/recording/recorded_file.h"
#include "strobe/readers/recording/recording_facts.h"
#include "strobe/readers/recording/recording_samples.h"
#include "strobe/readers/recording/run_files.h"
#include "strobe/readers/slice_memory.h"
#include "strobe/readers/trace_sink.h"
#include "strobe/readers/track_finder.h"
#include "strobe/wire/run_settings.h"

namespace strobe::readers {
namespace fs = std::filesystem;
namespace {

using wire::ChunkKind;

Error too_many_rows(std::uint64_t most) {
  return {ErrorCode::kMalformed,
          "the recording has more than " + counted(most, "event") + ", the most that strobe reads",
          "", "record a shorter time, or windows: --last, --every with --for"};
}

// A file of the run, and the memory in which it lies.
struct OpenFile {
  std::shared_ptr<const MappedFile> mapped;
  RecordedFile content;
};

// The file is mapped as long as it is now: one that grows has more the next time.
Result<OpenFile> open_file(const fs::path& path, ImportReport& report) {
  STROBE_TRY(auto mapped, MappedFile::open(path.string()));
  STROBE_TRY(RecordedFile content,
             in_file(RecordedFile::take_apart(mapped->bytes(), report), path.string()));
  return OpenFile{std::move(mapped), std::move(content)};
}

// What lies beside a process's file in the folder of the run.
struct Neighbours {
  std::vector<OpenFile> samples;            // of the same machine
  std::set<std::int64_t> processes;         // those with files of their own
  std::vector<MissingSource> not_recorded;  // for a run without processes
};

bool is_of_samples(const RecordedFile& file) {
  return file.has(ChunkKind::kSamples) || file.has(ChunkKind::kProcesses) ||
         file.has(ChunkKind::kWaits);
}

// Clocks of different machines have nothing in common.
bool are_of_one_machine(const RecordedFile& a, const RecordedFile& b) {
  const auto host = a.fact(wire::kFactHost);
  return !host || !b.fact(wire::kFactHost) || host == b.fact(wire::kFactHost);
}

bool has_recorder_of(const RecordedFile& samples, const RecordedFile& own) {
  const auto recorder = own.fact(wire::kFactRecorder);
  return recorder && samples.fact(wire::kFactRecorder) == recorder;
}

// Whether a file has the samples of the process. Several recorders may look at one machine, each at
// the program that it started.
bool has_recorded(const RecordedFile& samples, const RecordedFile& own, const Neighbours& beside) {
  return has_recorder_of(samples, own) ||
         std::ranges::none_of(beside.samples, [&](const OpenFile& file) {
           return has_recorder_of(file.content, own);
         });
}

// The end of such a file says nothing about the end of the trace, and one that grows has none.
void adopt_damage(const fs::path& path, const RecordedFile& samples, const ImportReport& damage,
                  ImportReport& report) {
  const bool grows = samples.fact(wire::kFactFinished) != "1";
  for (const ImportIssue issue : {ImportIssue::kDamagedChunk, ImportIssue::kTruncatedFile}) {
    const ImportReport::Line& line = damage[issue];
    if (line.count == 0 || (grows && issue == ImportIssue::kTruncatedFile)) continue;
    report.add(ImportIssue::kDamagedChunk, line.examples.front().byte_offset,
               path.filename().string());
    report.add_many(ImportIssue::kDamagedChunk, line.count - 1);
  }
}

Neighbours find_neighbours(const fs::path& path, const RecordedFile& own, ImportReport& report) {
  Neighbours found;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (is_of_samples(own)) {
    found.not_recorded = missing_sources(folder, own.number_fact(wire::kFactRecorder));
    return found;
  }
  const RunFiles files = find_run_files(folder);
  found.processes = process_ids(files.processes);
  for (const fs::path& file : files.samples) {
    ImportReport damage;
    Result<OpenFile> opened = open_file(file, damage);
    if (!opened || !are_of_one_machine(own, opened->content)) continue;
    adopt_damage(file, opened->content, damage, report);
    found.samples.push_back(*std::move(opened));
  }
  return found;
}

class RecordingReader {
 public:
  RecordingReader(const LoadOptions& options, std::uint64_t file_bytes)
      : options_(options), sink_(options, file_bytes) {}

  ImportReport& report() { return sink_.report; }

  Result<LoadedTrace> read(const RecordedFile& own, const Neighbours& beside) {
    std::uint64_t rows = own.rows();
    for (const OpenFile& file : beside.samples) rows += file.content.rows();
    const std::uint64_t most = std::min(options_.most_events, kMostEvents);
    if (rows > most) return too_many_rows(most);
    sink_.expect(rows);
    sink_.builder.metadata() = metadata_of(own, report());
    const std::int64_t process = own.number_fact(wire::kFactProcess).value_or(0);
    reserve_slices(own);
    if (!add_work(own, process)) return sink_.why_stopped();
    lap("read rows");
    if (!add_surroundings(own, process, beside)) return sink_.why_stopped();
    lap("read samples");
    finish(own, beside);
    lap("finish");
    return std::move(loaded_);
  }

 private:
  void reserve_slices(const RecordedFile& own) {
    std::uint64_t rows = 0;
    for (const ChunkKind kind : {ChunkKind::kRanges, ChunkKind::kCalls, ChunkKind::kWork,
                                 ChunkKind::kCopies, ChunkKind::kSyncs}) {
      rows += own.rows_of(kind);
    }
    reserve_rows(sink_.builder.slices(), rows);
  }

  // Calls come before what is joined with them.
  bool add_work(const RecordedFile& own, std::int64_t process) {
    LaunchNumbers launches(own.segments().size());
    const bool goes_on =
        add_ranges(own, process, sink_) && add_calls(own, process, launches, sink_) &&
        add_device_work(own, launches, sink_) && add_syncs(own, process, launches, sink_) &&
        add_allocations(own, process, launches, sink_);
    report().add_many(ImportIssue::kWideCorrelation, launches.too_wide());
    return goes_on;
  }

  // Samples of the machine and its devices, from any recorder of the run; samples of a process only
  // if the trace is of that process. A file of samples without a process keeps all of its own.
  bool add_surroundings(const RecordedFile& own, std::int64_t process, const Neighbours& beside) {
    ProcessFamily family;
    for (const OpenFile& file : beside.samples) family.add(file.content);
    family.add(own);
    name_tracks(own, process, beside, family);
    const std::set<std::int64_t> mine = family.with_descendants(process, beside.processes);
    for (const OpenFile& file : beside.samples) {
      WantedSamples wanted;
      wanted.processes = has_recorded(file.content, own, beside) ? mine : std::set<std::int64_t>();
      match_devices(own, file.content, wanted);
      if (!add_surroundings_from(file.content, wanted)) return false;
    }
    return add_surroundings_from(own, {});
  }

  void name_tracks(const RecordedFile& own, std::int64_t process, const Neighbours& beside,
                   const ProcessFamily& family) {
    for (const auto& [id, name] : family.names()) sink_.tracks.name_process(id, name);
    sink_.tracks.name_process(process, own.fact(wire::kFactProgram).value_or(std::string_view()));
    for (const OpenFile& file : beside.samples) name_threads(file.content, sink_.tracks);
    name_threads(own, sink_.tracks);
  }

  bool add_surroundings_from(const RecordedFile& file, const WantedSamples& wanted) {
    return add_samples(file, wanted, sink_) && add_core_waits(file, wanted, sink_);
  }

  void finish(const RecordedFile& own, const Neighbours& beside) {
    report_notes(own, report());
    report_ending(own, report());
    for (const OpenFile& file : beside.samples) report_notes(file.content, report());
    for (const MissingSource& source : beside.not_recorded) {
      report().add(ImportIssue::kSourceMissing, 0, source.name + ": " + source.why);
    }
    loaded_.trace = sink_.finish();
    loaded_.report = std::move(sink_.report);
  }

  void lap(std::string name) {
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<double> elapsed = now - std::exchange(last_lap_, now);
    loaded_.stages.push_back({std::move(name), elapsed.count()});
  }

  const LoadOptions& options_;
  std::chrono::steady_clock::time_point last_lap_ = std::chrono::steady_clock::now();
  LoadedTrace loaded_;
  TraceSink sink_;
};

std::string file_names(const std::vector<RunTraceFile>& traces) {
  std::string names;
  for (const RunTraceFile& trace : traces) {
    if (!names.empty()) names += ", ";
    names += "'" + trace.path.filename().string() + "'";
  }
  return names;
}

}  // namespace

Result<LoadedTrace> read_recording(const fs::path& path, const LoadOptions& options) {
  std::error_code ignored;
  RecordingReader reader(options, fs::file_size(path, ignored));
  STROBE_TRY(OpenFile own, open_file(path, reader.report()));
  own.content.decode_ahead(options.thread_count() > 1);
  const Neighbours beside = find_neighbours(path, own.content, reader.report());
  STROBE_TRY(LoadedTrace loaded, in_file(reader.read(own.content, beside), path.string()));
  loaded.path = path.string();
  return loaded;
}

Result<LoadedTrace> read_recording_bytes(std::string_view bytes, const LoadOptions& options) {
  RecordingReader reader(options, bytes.size());
  STROBE_TRY(const RecordedFile own,
             RecordedFile::take_apart({bytes.data(), bytes.size()}, reader.report()));
  return reader.read(own, {});
}

Result<fs::path> only_trace_of_run(const fs::path& folder) {
  const std::vector<RunTraceFile> traces = traces_of_run(find_run_files(folder));
  if (traces.size() == 1) return traces[0].path;
  if (traces.empty()) return no_files_yet(folder);
  return Error{
      ErrorCode::kMalformed,
      fmt::format("the run has {} traces, one per process: {}", traces.size(), file_names(traces)),
      folder.string(), fmt::format("give one of them: '{}'", traces[0].path.string())};
}

}  // namespace strobe::readers
