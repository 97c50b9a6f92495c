#include "strobe/readers/counters/counter_names.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <unordered_map>

namespace strobe::readers {
namespace {

struct KnownUnit {
  std::string_view word;
  Unit unit;
};

constexpr KnownUnit kUnits[] = {
    {"", {Quantity::kNone, 0}},        {"%", {Quantity::kPercent, 0}},
    {"ns", {Quantity::kTime, 0}},      {"nsecond", {Quantity::kTime, 0}},
    {"nsec", {Quantity::kTime, 0}},    {"us", {Quantity::kTime, 3}},
    {"usecond", {Quantity::kTime, 3}}, {"usec", {Quantity::kTime, 3}},
    {"ms", {Quantity::kTime, 6}},      {"msecond", {Quantity::kTime, 6}},
    {"msec", {Quantity::kTime, 6}},    {"s", {Quantity::kTime, 9}},
    {"second", {Quantity::kTime, 9}},  {"sec", {Quantity::kTime, 9}},
    {"byte", {Quantity::kBytes, 0}},   {"hz", {Quantity::kFrequency, 0}},
    {"Hz", {Quantity::kFrequency, 0}},
};

// Factors of 1000, not 1024: a kernel with 1024 bytes is listed with "1.02 Kbyte".
constexpr struct {
  char letter;
  int power_of_ten;
} kPrefixes[] = {{'K', 3}, {'M', 6}, {'G', 9}, {'T', 12}, {'P', 15}};

Unit plain_unit_of(std::string_view word) {
  const auto known = std::ranges::find(kUnits, word, &KnownUnit::word);
  if (known != std::end(kUnits)) return known->unit;
  const bool is_long = word.size() >= 3 && word[1] >= 'a' && word[1] <= 'z';
  for (const auto& prefix : kPrefixes) {
    if (!is_long && word.substr(1) != "Hz") break;
    if (word.front() != prefix.letter) continue;
    const auto rest = std::ranges::find(kUnits, word.substr(1), &KnownUnit::word);
    const Quantity quantity = rest != std::end(kUnits) ? rest->unit.quantity : Quantity::kCount;
    return {quantity, prefix.power_of_ten};
  }
  return {Quantity::kCount, 0};
}

}  // namespace

Unit unit_of(std::string_view word) {
  const std::size_t slash = word.find('/');
  if (slash == std::string_view::npos) return plain_unit_of(word);
  const Unit above = plain_unit_of(word.substr(0, slash));
  const Unit below = plain_unit_of(word.substr(slash + 1));
  if (below.quantity != Quantity::kTime) return above;  // byte/block, register/thread
  const Quantity quantity =
      word.substr(0, slash).ends_with("cycle") ? Quantity::kFrequency : Quantity::kRate;
  return {quantity, above.power_of_ten + 9 - below.power_of_ten};
}

namespace {

using enum KernelMetric;
using enum Quantity;

struct NamedEntry {
  std::string_view name;
  Counter counter;
  Quantity quantity;
};

constexpr NamedEntry metric(std::string_view name, KernelMetric metric, Quantity quantity) {
  return {name, counter_of(metric), quantity};
}

// The best source of a counter comes first. A share of the peak refers to the whole kernel
// (..._elapsed); if only ..._active exists, that is used. `.sum` of a share equals `.avg`; `.max`
// and `.min` are those of one hardware instance and cannot be used instead.
constexpr NamedEntry kEntries[] = {
    {"gpu__time_duration.sum", Counter::kDuration, kTime},
    {"gpu__time_duration.avg", Counter::kDuration, kTime},
    {"gpu__time_duration.max", Counter::kDuration, kTime},
    {"gpu__time_duration.min", Counter::kDuration, kTime},
    {"gpu__time_duration", Counter::kDuration, kTime},
    {"Duration", Counter::kDuration, kTime},

    // Not sm__inst_executed_pipe_tensor: one instruction keeps the pipe busy for many cycles.
    metric("sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", kTensorPercent,
           kPercent),
    metric("sm__pipe_tensor_cycles_active.sum.pct_of_peak_sustained_elapsed", kTensorPercent,
           kPercent),

    metric("gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", kDramPercent, kPercent),
    metric("dram__throughput.avg.pct_of_peak_sustained_elapsed", kDramPercent, kPercent),
    metric("gpu__dram_throughput.sum.pct_of_peak_sustained_elapsed", kDramPercent, kPercent),
    metric("dram__throughput.sum.pct_of_peak_sustained_elapsed", kDramPercent, kPercent),
    metric("dram__bytes.avg.pct_of_peak_sustained_elapsed", kDramPercent, kPercent),
    metric("dram__bytes.sum.pct_of_peak_sustained_elapsed", kDramPercent, kPercent),
    metric("DRAM Throughput", kDramPercent, kPercent),
    metric("SOL DRAM", kDramPercent, kPercent),
    metric("SOL FB", kDramPercent, kPercent),

    metric("sm__throughput.avg.pct_of_peak_sustained_elapsed", kSmPercent, kPercent),
    metric("sm__throughput.sum.pct_of_peak_sustained_elapsed", kSmPercent, kPercent),
    metric("Compute (SM) Throughput", kSmPercent, kPercent),
    metric("Compute (SM) [%]", kSmPercent, kPercent),
    metric("SM Throughput", kSmPercent, kPercent),
    metric("SOL SM", kSmPercent, kPercent),
    metric("SM [%]", kSmPercent, kPercent),

    metric("gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", kMemoryPercent,
           kPercent),
    metric("gpu__compute_memory_throughput.sum.pct_of_peak_sustained_elapsed", kMemoryPercent,
           kPercent),
    metric("Memory Throughput", kMemoryPercent, kPercent),
    metric("Memory [%]", kMemoryPercent, kPercent),
    metric("SOL Memory", kMemoryPercent, kPercent),

    metric("l1tex__throughput.avg.pct_of_peak_sustained_elapsed", kL1Percent, kPercent),
    metric("l1tex__throughput.avg.pct_of_peak_sustained_active", kL1Percent, kPercent),
    metric("l1tex__throughput.sum.pct_of_peak_sustained_active", kL1Percent, kPercent),
    metric("L1/TEX Cache Throughput", kL1Percent, kPercent),
    metric("SOL L1/TEX Cache", kL1Percent, kPercent),
    metric("SOL TEX", kL1Percent, kPercent),

    metric("lts__throughput.avg.pct_of_peak_sustained_elapsed", kL2Percent, kPercent),
    metric("lts__throughput.sum.pct_of_peak_sustained_elapsed", kL2Percent, kPercent),
    metric("L2 Cache Throughput", kL2Percent, kPercent),
    metric("SOL L2 Cache", kL2Percent, kPercent),
    metric("SOL L2", kL2Percent, kPercent),

    metric("lts__t_sector_hit_rate.pct", kL2HitPercent, kPercent),
    metric("L2 Hit Rate", kL2HitPercent, kPercent),

    metric("sm__warps_active.avg.pct_of_peak_sustained_active", kOccupancyPercent, kPercent),
    metric("sm__warps_active.sum.pct_of_peak_sustained_active", kOccupancyPercent, kPercent),
    metric("Achieved Occupancy", kOccupancyPercent, kPercent),
    metric("sm__maximum_warps_per_active_cycle_pct", kEstimatedOccupancyPercent, kPercent),
    metric("Theoretical Occupancy", kEstimatedOccupancyPercent, kPercent),

    metric("sm__cycles_elapsed.avg.per_second", kClockHz, kFrequency),
    metric("smsp__cycles_elapsed.avg.per_second", kClockHz, kFrequency),
    metric("gpc__cycles_elapsed.avg.per_second", kClockHz, kFrequency),
    metric("SM Frequency", kClockHz, kFrequency),
    metric("dram__cycles_elapsed.avg.per_second", kDramClockHz, kFrequency),
    metric("DRAM Frequency", kDramClockHz, kFrequency),
    metric("Memory Frequency", kDramClockHz, kFrequency),

    metric("sm__cycles_elapsed.avg", kElapsedCycles, kCount),
    metric("sm__cycles_elapsed.max", kElapsedCycles, kCount),
    metric("smsp__cycles_elapsed.avg", kElapsedCycles, kCount),
    metric("smsp__cycles_elapsed.max", kElapsedCycles, kCount),
    metric("gpc__cycles_elapsed.avg", kElapsedCycles, kCount),
    metric("gpc__cycles_elapsed.max", kElapsedCycles, kCount),
    metric("Elapsed Cycles", kElapsedCycles, kCount),
    metric("sm__cycles_active.avg", kActiveCycles, kCount),
    metric("smsp__cycles_active.avg", kActiveCycles, kCount),
    metric("SM Active Cycles", kActiveCycles, kCount),

    metric("dram__bytes_read.sum", kDramReadBytes, kBytes),
    metric("dram__bytes_write.sum", kDramWriteBytes, kBytes),
    metric("lts__t_bytes.sum", kL2Bytes, kBytes),

    metric("smsp__inst_executed.sum", kInstructions, kCount),
    metric("sm__inst_executed.sum", kInstructions, kCount),
    metric("Executed Instructions", kInstructions, kCount),
    {"sm__sass_thread_inst_executed_op_fadd_pred_on.sum", Counter::kAdds, kCount},
    {"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", Counter::kAdds, kCount},
    {"sm__sass_thread_inst_executed_op_fmul_pred_on.sum", Counter::kMultiplies, kCount},
    {"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", Counter::kMultiplies, kCount},
    {"sm__sass_thread_inst_executed_op_ffma_pred_on.sum", Counter::kFusedMultiplyAdds, kCount},
    {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", Counter::kFusedMultiplyAdds, kCount},

    metric("launch__registers_per_thread", kRegistersPerThread, kNone),
    metric("Registers Per Thread", kRegistersPerThread, kNone),
    metric("launch__shared_mem_per_block", kSharedBytesPerBlock, kBytes),
    {"launch__shared_mem_per_block_static", Counter::kStaticSharedBytes, kBytes},
    {"Static Shared Memory Per Block", Counter::kStaticSharedBytes, kBytes},
    {"launch__shared_mem_per_block_dynamic", Counter::kDynamicSharedBytes, kBytes},
    {"Dynamic Shared Memory Per Block", Counter::kDynamicSharedBytes, kBytes},
    {"launch__grid_dim_x", Counter::kGridX, kNone},
    {"launch__grid_dim_y", Counter::kGridY, kNone},
    {"launch__grid_dim_z", Counter::kGridZ, kNone},
    {"launch__block_dim_x", Counter::kBlockX, kNone},
    {"launch__block_dim_y", Counter::kBlockY, kNone},
    {"launch__block_dim_z", Counter::kBlockZ, kNone},
    {"launch__device_id", Counter::kDevice, kNone},
    {"launch__context_id", Counter::kContext, kNone},
    {"launch__stream_id", Counter::kStream, kNone},

    {"device__attribute_display_name", Counter::kDeviceName, kNone},
    {"device__attribute_compute_capability_major", Counter::kCapabilityMajor, kNone},
    {"device__attribute_compute_capability_minor", Counter::kCapabilityMinor, kNone},
    {"device__attribute_multiprocessor_count", Counter::kSmCount, kNone},
    {"launch__sm_count", Counter::kSmCount, kNone},
    {"device__attribute_clock_rate", Counter::kMostClockKhz, kNone},
    {"device__attribute_max_gpu_frequency_khz", Counter::kMostClockKhz, kNone},
    {"device__attribute_global_memory_bus_width", Counter::kBusBits, kNone},
    {"device__attribute_fb_bus_width", Counter::kBusBits, kNone},
    {"device__attribute_memory_clock_rate", Counter::kDramClockKhz, kNone},
    {"device__attribute_max_mem_frequency_khz", Counter::kDramClockKhz, kNone},
};

using ByName = std::unordered_map<std::string_view, NamedCounter>;

ByName by_name() {
  ByName names;
  std::array<std::uint8_t, kCounters> ranks{};
  for (const NamedEntry& entry : kEntries) {
    std::uint8_t& rank = ranks[static_cast<std::size_t>(entry.counter)];
    names.emplace(entry.name, NamedCounter{entry.counter, entry.quantity, rank++});
  }
  return names;
}

}  // namespace

std::optional<NamedCounter> find_counter(std::string_view name) {
  static const ByName kNames = by_name();
  const auto found = kNames.find(name);
  if (found == kNames.end()) return std::nullopt;
  return found->second;
}

}  // namespace strobe::readers
