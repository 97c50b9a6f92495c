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
#include "strobe/readers/start_order.h"

namespace strobe::readers {
namespace {

// A table without rows does not exist, so any of these may be the only one.
constexpr auto kNsysSigns = std::to_array<std::string_view>(
    {"CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_MEMCPY",
     "CUPTI_ACTIVITY_KIND_MEMSET", "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", "NVTX_EVENTS", "OSRT_API",
     "COMPOSITE_EVENTS", "SCHED_EVENTS", "GPU_METRICS", "NET_NIC_METRIC", "META_DATA_EXPORT",
     "EXPORT_META_DATA", "TARGET_INFO_SESSION_START_TIME", "DIAGNOSTIC_EVENT"});

constexpr auto kNsysAlone = std::to_array<std::string_view>(
    {"META_DATA_EXPORT", "EXPORT_META_DATA", "TARGET_INFO_SESSION_START_TIME"});

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

bool is_nsys(const sqlite::Database& database) {
  const std::vector<std::string> tables = database.tables();
  const auto has = [&](std::string_view table) {
    return std::ranges::binary_search(tables, table);
  };
  // Without the texts of its names, what only this profiler writes must be there.
  const bool is_of_nsys = has("StringIds") || std::ranges::any_of(kNsysAlone, has);
  return is_of_nsys && std::ranges::any_of(kNsysSigns, has);
}

// Ranges that were open when the recording ended.
void close_slices(NsysFile& file) {
  if (file.open_slices.empty()) return;
  TraceBuilder& builder = file.sink.builder;
  std::int64_t latest_ns = builder.slice(SliceColumn::kStarts, file.open_slices.front());
  for (std::size_t row = 0; row < builder.slice_count(); ++row) {
    if (stretches_extent(builder.slice(SliceColumn::kKinds, row))) {
      latest_ns = std::max(latest_ns, builder.slice(SliceColumn::kStarts, row) +
                                          builder.slice(SliceColumn::kDurations, row));
    }
  }
  for (const std::size_t open : file.open_slices) {
    const std::int64_t rest_ns = latest_ns - builder.slice(SliceColumn::kStarts, open);
    builder.change_slices(
        SliceColumn::kDurations, open, open + 1, [&](std::size_t, std::int64_t& duration_ns) {
          duration_ns = std::min(std::max<std::int64_t>(rest_ns, 0), kLongestDuration_ns);
        });
  }
  file.sink.report.add_many(ImportIssue::kUnmatchedBegin, file.open_slices.size());
}

bool add_nsys_events(NsysFile& file) {
  return add_nsys_ranges(file) && add_nsys_calls(file) && add_nsys_device_work(file) &&
         add_nsys_waits(file) && add_nsys_library_calls(file) && add_nsys_cpu_samples(file) &&
         add_nsys_device_metrics(file) && add_nsys_network_metrics(file) &&
         add_nsys_memory_use(file);
}

Result<LeftOut> read_nsys(const sqlite::Database& database, TraceSink& sink) {
  NsysFile file(database, sink);
  take_nsys_facts(file);
  if (!add_nsys_events(file)) return sink.why_stopped();
  report_nsys_diagnostics(file);
  close_slices(file);
  pack_by_start(sink.builder);  // the rows stand in no order that can be relied upon
  mark_steps(sink.builder, 0);
  return std::move(file.tables.left_out);
}

}  // namespace

const DatabaseFormat kNsightSystems{"Nsight Systems", is_nsys, read_nsys, kNsysNoEvents};

}  // namespace strobe::readers
