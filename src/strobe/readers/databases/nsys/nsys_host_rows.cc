#include "strobe/readers/databases/nsys/nsys_host_rows.h"

#include <array>
#include <cstddef>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "strobe/readers/databases/nvidia_words.h"
#include "strobe/readers/recording/recording_args.h"
#include "strobe/readers/recording/recording_names.h"
#include "strobe/wire/run_file.h"

namespace strobe::readers {
namespace {

constexpr std::string_view kNsysCalls = "CUPTI_ACTIVITY_KIND_RUNTIME";
constexpr std::string_view kNsysWaits = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION";

// Classes of events, which the export explains in a table of its own, if at all.
constexpr std::int64_t kCallChain = 67;  // repeats a call of its own correlation
constexpr std::int64_t kSystemTracingStarts = 31;
constexpr std::int64_t kSystemTracingEnds = 32;

class NsysCalls {
 public:
  explicit NsysCalls(NsysFile& file)
      : file_(file), first_(file.sink.builder.slice_count()), names_(file.texts) {}

  bool add_all() {
    enum Column : std::size_t { kStart, kEnd, kClass, kThread, kCorrelation, kName, kResult };
    constexpr auto kColumns = std::to_array<std::string_view>(
        {"start", "end", "eventClass", "globalTid", "correlationId", "nameId", "returnValue"});
    std::uint64_t call_chains = 0;
    const bool goes_on = file_.tables.read(kNsysCalls, kColumns, [&](const sqlite::TableRows& row) {
      if (row.integer(kClass) == kCallChain) {
        ++call_chains;
        return;
      }
      const CallName name = names_.find(row.integer(kName), file_.sink.report,
                                        [&](std::string_view text) { return name_of(text); });
      TraceBuilder::SliceRow slice;
      slice.name = name.name;
      slice.category = name.category;
      slice.kind = SliceKind::kRuntimeCall;
      slice.track = file_.thread(row, kThread);
      slice.correlation =
          file_.launches.note_call(file_.tracks.process_of(slice.track), row.integer(kCorrelation));
      if (const std::int64_t result = row.integer(kResult); result != 0) {
        slice.args = args_of(result);
      }
      file_.add(slice, row, kStart, kEnd, kNsysCalls);
    });
    file_.tables.left_out.add("call chains that repeat a call", call_chains);
    number();
    return goes_on;
  }

 private:
  struct CallName {
    StringId name;
    CategoryId category;
  };

  CallName name_of(std::string_view text) {
    const std::string_view plain = plain_call_name(text);
    return {file_.sink.name(plain), file_.sink.builder.category(category_of_call(plain))};
  }

  ArgsId args_of(std::int64_t result) {
    const auto [entry, is_new] = results_.try_emplace(result);
    if (is_new) entry->second = file_.sink.keep(call_args(static_cast<std::uint64_t>(result)));
    return entry->second;
  }

  // The correlations are the file's until all calls are known.
  void number() {
    file_.launches.number_processes();
    if (file_.launches.are_as_in_file()) return;
    TraceBuilder& builder = file_.sink.builder;
    const auto renumber = [&](std::size_t row, std::uint32_t& correlation) {
      if (correlation == kNoLaunchId) return;
      const TrackId track = builder.slice(SliceColumn::kTracks, row);
      correlation = file_.launches.of(file_.tracks.process_of(track), correlation);
    };
    builder.change_slices(SliceColumn::kCorrelations, first_, builder.slice_count(), renumber);
  }

  NsysFile& file_;
  std::size_t first_;
  PerText<CallName> names_;
  std::map<std::int64_t, ArgsId> results_;
};

// A table of calls into libraries.
struct NsysCallTable {
  std::string_view table;
  std::string_view category;
  SliceKind kind;
};
constexpr auto kNsysCallTables = std::to_array<NsysCallTable>({
    {"OSRT_API", "os_runtime", SliceKind::kOther},
    {"CUDNN_EVENTS", "cudnn", SliceKind::kUserRange},
    {"CUBLAS_EVENTS", "cublas", SliceKind::kUserRange},
    {"MPI_P2P_EVENTS", "mpi", SliceKind::kCommunication},
    {"MPI_COLLECTIVES_EVENTS", "mpi", SliceKind::kCommunication},
    {"MPI_START_WAIT_EVENTS", "mpi", SliceKind::kCommunication},
    {"MPI_OTHER_EVENTS", "mpi", SliceKind::kUserRange},
    {"UCP_SUBMIT_EVENTS", "ucp", SliceKind::kUserRange},
    {"UCP_PROGRESS_EVENTS", "ucp", SliceKind::kUserRange},
    {"UCP_EVENTS", "ucp", SliceKind::kUserRange},
    {"PROFILER_OVERHEAD", "overhead", SliceKind::kOverhead},
    {"CUPTI_ACTIVITY_KIND_OVERHEAD", "overhead", SliceKind::kOverhead},
});

bool add_calls_of(const NsysCallTable& from, NsysFile& file) {
  enum Column : std::size_t { kStart, kEnd, kClass, kThread, kName, kText };
  constexpr auto kColumns = std::to_array<std::string_view>(
      {"start", "end", "eventClass", "globalTid", "nameId", "textId"});
  if (!file.tables.has(from.table)) return true;
  const CategoryId category = file.sink.builder.category(from.category);
  const std::size_t name = file.tables.has(from.table, "nameId") ? kName : kText;
  PerText<StringId> names(file.texts);
  return file.tables.read(from.table, kColumns, [&](const sqlite::TableRows& row) {
    TraceBuilder::SliceRow slice;
    slice.name = names.find(row.integer(name), file.sink.report,
                            [&](std::string_view text) { return file.sink.name(text); });
    slice.category = category;
    slice.kind = from.kind;
    if (from.kind == SliceKind::kCommunication) slice.flags = kCommunicates;
    slice.track = file.thread(row, kThread);
    const std::int64_t what = row.integer(kClass);
    if (what != kSystemTracingStarts && what != kSystemTracingEnds) {
      file.add(slice, row, kStart, kEnd, from.table);
      return;
    }
    std::int64_t time_ns = 0;
    if (!read_time(row, kStart, from.table, file.sink.report, time_ns)) return;
    file.sink.add_instant(time_ns, slice.name, slice.track, category);
  });
}

}  // namespace

bool add_nsys_calls(NsysFile& file) { return NsysCalls(file).add_all(); }

// Waits of several threads overlap.
bool add_nsys_waits(NsysFile& file) {
  enum Column : std::size_t { kStart, kEnd, kContext, kStream, kCorrelation, kProcess, kType };
  constexpr auto kColumns = std::to_array<std::string_view>(
      {"start", "end", "contextId", "streamId", "correlationId", "globalPid", "syncType"});
  if (!file.tables.has(kNsysWaits)) return true;
  const CategoryId category = file.sink.builder.category("cuda_sync");
  std::map<std::int64_t, StringId> names;                          // by type
  std::map<std::pair<std::uint64_t, std::uint64_t>, ArgsId> args;  // by context and stream
  std::map<std::uint64_t, TrackId> tracks;                         // by process
  return file.tables.read(kNsysWaits, kColumns, [&](const sqlite::TableRows& row) {
    const auto process = GlobalId::of(row.integer(kProcess));
    TraceBuilder::SliceRow slice;
    const auto [name, is_new_name] = names.try_emplace(row.integer(kType));
    if (is_new_name) name->second = file.sink.name(sync_name(name->first));
    const auto [track, is_new_track] = tracks.try_emplace(process.process());
    if (is_new_track) {
      track->second = file.sink.tracks.beside_threads(process.process_id(), "waits for the device");
    }
    const auto stream =
        row.is_null(kStream) ? wire::kNoStream : static_cast<std::uint64_t>(row.integer(kStream));
    const std::pair key{static_cast<std::uint64_t>(row.integer(kContext)), stream};
    const auto [kept, is_new_args] = args.try_emplace(key);
    if (is_new_args) kept->second = file.sink.keep(sync_args(key.first, key.second));
    slice.name = name->second;
    slice.track = track->second;
    slice.category = category;
    slice.kind = SliceKind::kSync;
    slice.correlation = file.launches.of(process.process(), row.integer(kCorrelation));
    slice.args = kept->second;
    file.add(slice, row, kStart, kEnd, kNsysWaits);
  });
}

bool add_nsys_library_calls(NsysFile& file) {
  for (const NsysCallTable& from : kNsysCallTables) {
    if (!add_calls_of(from, file)) return false;
  }
  return true;
}

}  // namespace strobe::readers
