#include "strobe/analysis/timeline/metric_labels.h"

#include <algorithm>
#include <iterator>

namespace strobe::analysis {
namespace {

constexpr bool kMain = true;
constexpr bool kKeyed = true;

// In the order to draw them: owner by owner, what explains most first.
constexpr MetricLabel kMetricLabels[] = {
    // Devices
    {"gpu_sm_frequency", "SM clock", "", kMain},
    {"gpu_power_mw", "power", "draw", kMain},
    {"gpu_power_limit_mw", "power", "limit", kMain},
    {"gpu_foreign_process_usage", "other processes", "", kMain, kKeyed},
    {"gpu_usage", "utilisation", "all"},
    {"gpu_process_usage", "utilisation", "this run"},
    {"gpu_foreign_usage", "utilisation", "others"},
    {"gpu_mem_util", "memory controller"},
    {"gpu_mem_used", "memory in use", "all"},
    {"gpu_foreign_mem_used", "memory in use", "others"},
    {"gpu_mem_used_bytes", "memory in use"},
    {"gpu_mem_frequency", "memory clock"},
    {"gpu_temperature_c", "temperature"},
    {"gpu_pcie_receive", "PCIe", "receive"},
    {"gpu_pcie_transmit", "PCIe", "transmit"},
    {"gpu_link_receive", "NVLink", "receive"},
    {"gpu_link_transmit", "NVLink", "transmit"},
    {"gpu_pcie_replays", "PCIe replays"},
    {"gpu_ecc_corrected", "ECC errors", "corrected"},
    {"gpu_ecc_uncorrected", "ECC errors", "uncorrected"},
    {"gpu_xid", "Xid"},
    {"gpu_foreign_processes", "number of other processes"},
    {"gpu_throttle_reasons", "clock limits, as bits"},
    // The machine
    {"host_cpu_usage", "CPU, all cores", "", kMain},
    {"foreign_process_cpu_usage", "other processes", "", kMain, kKeyed},
    {"foreign_cpu_usage", "CPU of other processes"},
    {"pressure_cpu_some_us", "pressure", "CPU"},
    {"pressure_memory_some_us", "pressure", "memory"},
    {"pressure_io_some_us", "pressure", "I/O"},
    {"host_mem_used", "memory in use"},
    {"cpu_frequency", "CPU clock"},
    {"host_load", "load"},
    // Processes
    {"process_cpu_usage", "CPU", "", kMain},
    {"schedstat_runq_ns", "waits for a core", "", kMain},
    {"schedstat_oncpu_ns", "on a core"},
    {"cpu_quota_throttled_us", "stopped by the quota", "", kMain},
    {"cpu_quota_cores", "quota"},
    {"process_rss_bytes", "memory"},
    {"process_read_bytes", "I/O", "read"},
    {"process_write_bytes", "I/O", "write"},
    {"major_faults", "page faults", "major"},
    {"minor_faults", "page faults", "minor"},
    // Threads, and processes
    {"on_cpu_pct", "core time", "on a core", kMain},
    {"waiting_for_core_pct", "core time", "waits for one", kMain},
    {"core", "core number"},
    {"forced_switches", "switches", "forced"},
    {"voluntary_switches", "switches", "voluntary"},
    {"page_faults", "page faults"},
};

constexpr std::string_view kThreadMetrics[] = {
    "on_cpu_pct",      "waiting_for_core_pct", "core",
    "forced_switches", "voluntary_switches",   "page_faults",
};

}  // namespace

std::optional<KnownMetric> known_metric(std::string_view metric) {
  const auto* const found = std::ranges::find(kMetricLabels, metric, &MetricLabel::metric);
  if (found == std::end(kMetricLabels)) return std::nullopt;
  return KnownMetric{*found, static_cast<std::size_t>(found - std::begin(kMetricLabels))};
}

bool is_thread_metric(std::string_view metric) {
  return std::ranges::find(kThreadMetrics, metric) != std::end(kThreadMetrics);
}

}  // namespace strobe::analysis
