#include "strobe/readers/databases/nsys/nsys_reader.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/readers/databases/nsys/nsys_device_rows.h"
#include "strobe/readers/databases/nsys/nsys_facts.h"
#include "strobe/readers/databases/nsys/nsys_file.h"
#include "strobe/readers/databases/nsys/nsys_host_rows.h"
#include "strobe/readers/databases/nsys/nsys_ranges.h"
#include "strobe/readers/databases/nsys/nsys_samples.h"
#include "strobe/readers/recording/step_ranges.h"
#include "strobe/readers/slice_memory.h"
#include "strobe/readers/start_order.h"

namespace strobe::readers {
namespace {

// A table without rows does not exist, so any of these may be the only one.
constexpr auto kNsysSigns = std::to_array<std::string_view>(
    {"CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_MEMCPY",
     "CUPTI_ACTIVITY_KIND_MEMSET", "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", "NVTX_EVENTS", "OSRT_API",
     "COMPOSITE_EVENTS", "SCHED_EVENTS", "GPU_METRICS", "NET_NIC_METRIC", "META_DATA_EXPORT",
     "EXPORT_META_DATA", "TARGET_INFO_SESSION_START_TIME", "DIAGNOSTIC_EVENT"});

// Descriptions of the recording, the machine and the tables, and the stacks of other events.
constexpr auto kNsysNoEvents = std::to_array<std::string_view>({"TARGET_INFO_*",
                                                                "META_DATA_*",
                                                                "EXPORT_*",
                                                                "ANALYSIS_*",
                                                                "ENUM_*",
                                                                "*_CALLCHAINS",
                                                                "NVTX_PAYLOAD_SCHEMA*",
                                                                "ProcessStreams",
                                                                "PROCESSES",
                                                                "StringIds",
                                                                "ThreadNames",
                                                                "NIC_ID_MAP",
                                                                "MPI_RANKS",
                                                                "MPI_COMMUNICATORS",
                                                                "ETW_PROVIDERS",
                                                                "ETW_TASKS",
                                                                "GENERIC_EVENT_SOURCES",
                                                                "GENERIC_EVENT_TYPES",
                                                                "GENERIC_EVENT_TYPE_FIELDS",
                                                                "PMU_EVENT_REQUESTS",
                                                                "UnresolvedSymbols"});

constexpr auto kNsysSliceTables = std::to_array<std::string_view>(
    {"CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_MEMCPY",
     "CUPTI_ACTIVITY_KIND_MEMSET", "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "NVTX_EVENTS",
     "OSRT_API"});

bool is_nsys(const sqlite::Database& database) {
  const std::vector<std::string> tables = database.tables();
  const auto has = [&](std::string_view table) {
    return std::ranges::binary_search(tables, table);
  };
  return has("StringIds") && std::ranges::any_of(kNsysSigns, has);
}

// Ranges that were open when the recording ended.
void close_slices(NsysFile& file) {
  if (file.open_slices.empty()) return;
  SliceVectors& slices = file.sink.builder.slices();
  std::int64_t latest_ns = slices.starts_ns[file.open_slices.front()];
  for (std::size_t row = 0; row < slices.size(); ++row) {
    if (stretches_extent(slices.kinds[row])) {
      latest_ns = std::max(latest_ns, slices.starts_ns[row] + slices.durations_ns[row]);
    }
  }
  for (const std::size_t row : file.open_slices) {
    slices.durations_ns[row] =
        std::min(std::max<std::int64_t>(latest_ns - slices.starts_ns[row], 0), kLongestDuration_ns);
  }
  file.sink.report.add_many(ImportIssue::kUnmatchedBegin, file.open_slices.size());
}

// The rows stand in no order_nsys_rows that can be relied upon.
void order_nsys_rows(NsysFile& file, std::vector<RangeSequence>& sequences) {
  const std::vector<std::uint32_t> new_rows =
      order_by_start(file.sink.builder.slices(), 0).new_rows();
  for (RangeSequence& one : sequences) {
    if (!new_rows.empty()) one.row = new_rows[one.row];
  }
  std::ranges::sort(sequences, {}, &RangeSequence::row);
  SequenceVectors& columns = file.sink.builder.sequences();
  for (const RangeSequence& one : sequences) {
    columns.slices.emplace_back(one.row);
    columns.sequence_numbers.push_back(one.number);
    // The export does not say which thread ran the forward pass, only that another one did.
    columns.forward_threads.push_back(one.is_backward ? 1 : 0);
  }
}

bool add_nsys_events(NsysFile& file, std::vector<RangeSequence>& sequences) {
  return add_nsys_ranges(file, sequences) && add_nsys_calls(file) && add_nsys_device_work(file) &&
         add_nsys_waits(file) && add_nsys_library_calls(file) && add_nsys_cpu_samples(file) &&
         add_nsys_device_metrics(file) && add_nsys_network_metrics(file) &&
         add_nsys_memory_use(file);
}

Result<LeftOut> read_nsys(const sqlite::Database& database, TraceSink& sink) {
  NsysFile file(database, sink);
  reserve_rows(sink.builder.slices(), file.tables.about_rows(kNsysSliceTables));
  take_nsys_facts(file);
  std::vector<RangeSequence> sequences;
  if (!add_nsys_events(file, sequences)) return sink.why_stopped();
  report_nsys_diagnostics(file);
  close_slices(file);
  order_nsys_rows(file, sequences);
  mark_steps(sink.builder, 0);
  return std::move(file.tables.left_out);
}

}  // namespace

const DatabaseFormat kNsightSystems{"Nsight Systems", is_nsys, read_nsys, kNsysNoEvents};

}  // namespace strobe::readers
