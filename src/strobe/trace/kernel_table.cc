#include "strobe/trace/kernel_table.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace strobe {
namespace {

constexpr std::string_view kMetricWords[] = {
    "tensor_percent",
    "dram_percent",
    "sm_percent",
    "memory_percent",
    "l1_percent",
    "l2_percent",
    "l2_hit_percent",
    "occupancy_percent",
    "estimated_occupancy_percent",
    "clock_hz",
    "dram_clock_hz",
    "elapsed_cycles",
    "active_cycles",
    "dram_read_bytes",
    "dram_write_bytes",
    "l2_bytes",
    "instructions",
    "flops",
    "registers_per_thread",
    "shared_bytes_per_block",
    "blocks_per_sm",
    "warps_per_sm",
};
static_assert(std::size(kMetricWords) == kKernelMetrics);

constexpr std::string_view kSourceWords[] = {
    "text_table", "metric_rows", "wide_csv", "report", "trace", "json", "recording",
};
static_assert(std::size(kSourceWords) == static_cast<std::size_t>(KernelSource::kRecording) + 1);

}  // namespace

std::string_view word_of(KernelMetric metric) {
  return kMetricWords[static_cast<std::size_t>(metric)];
}

std::optional<KernelMetric> kernel_metric_of(std::string_view word) {
  const auto found = std::ranges::find(kMetricWords, word);
  if (found == std::end(kMetricWords)) return std::nullopt;
  return static_cast<KernelMetric>(found - std::begin(kMetricWords));
}

std::string_view word_of(KernelSource source) {
  return kSourceWords[static_cast<std::size_t>(source)];
}

std::string_view word_of(ClockPolicy policy) {
  constexpr std::string_view kPolicyWords[] = {"unknown", "free", "locked"};
  return kPolicyWords[static_cast<std::size_t>(policy)];
}

std::optional<double> KernelTable::value(KernelMetric metric, std::size_t row) const {
  const std::vector<double>& column = metrics[static_cast<std::size_t>(metric)];
  if (row >= column.size() || std::isnan(column[row])) return std::nullopt;
  return column[row];
}

void KernelTable::set(KernelMetric metric, std::size_t row, double value) {
  std::vector<double>& column = metrics[static_cast<std::size_t>(metric)];
  if (column.size() <= row) column.resize(row + 1, std::numeric_limits<double>::quiet_NaN());
  column[row] = value;
}

const KernelDevice* KernelTable::device_of(std::size_t row) const {
  if (device_indices.empty()) return devices.size() == 1 ? &devices.front() : nullptr;
  const auto found = std::ranges::find(devices, device_indices[row], &KernelDevice::index);
  return found != devices.end() ? &*found : nullptr;
}

}  // namespace strobe
