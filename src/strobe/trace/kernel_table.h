#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/string_pool.h"

namespace strobe {

// Hardware counters of one launch, in base units: nanoseconds, bytes, hertz, percent of the peak
// over the whole kernel. Readers map the profilers' own names to these.
enum class KernelMetric : std::uint8_t {
  kTensorPercent,  // elapsed cycles in which the matrix pipe was busy
  kDramPercent,    // of the bus's data-sheet rate
  kSmPercent,      // the busiest part of the multiprocessors
  kMemoryPercent,  // the busiest part of the memory system
  kL1Percent,
  kL2Percent,
  kL2HitPercent,
  kOccupancyPercent,           // warps resident while the multiprocessors were active
  kEstimatedOccupancyPercent,  // the same, as computed from the launch
  kClockHz,                    // of the multiprocessors, on average while it ran
  kDramClockHz,
  kElapsedCycles,
  kActiveCycles,
  kDramReadBytes,
  kDramWriteBytes,
  kL2Bytes,
  kInstructions,
  kFlops,  // 32-bit operations outside the matrix pipe
  kRegistersPerThread,
  kSharedBytesPerBlock,  // static and dynamic: the kernel's request
  kBlocksPerSm,
  kWarpsPerSm,
  kCount_,
};
inline constexpr std::size_t kKernelMetrics = static_cast<std::size_t>(KernelMetric::kCount_);

std::string_view word_of(KernelMetric metric);  // "tensor_percent": JSON and CSV key
std::optional<KernelMetric> kernel_metric_of(std::string_view word);

struct LaunchShape {
  std::uint32_t x = 0;  // 0: unknown
  std::uint32_t y = 0;
  std::uint32_t z = 0;

  bool is_known() const { return x != 0; }
  bool operator==(const LaunchShape&) const = default;
};

// The chip that ran the kernels, as far as the file says; 0 and "" are unknown.
struct KernelDevice {
  std::int32_t index = 0;
  std::string name;        // "NVIDIA H200"
  std::string capability;  // "9.0"
  std::int32_t sm_count = 0;
  double most_clock_hz = 0;  // the maximum clock of its multiprocessors
  double dram_bytes_per_s = 0;

  bool operator==(const KernelDevice&) const = default;
};

enum class ClockPolicy : std::uint8_t { kUnknown, kFree, kLocked };

// Where a table came from.
enum class KernelSource : std::uint8_t {
  kTextTable,   // Kernel Latency Tensor DRAM
  kMetricRows,  // a profiler's CSV, one row per metric
  kWideCsv,     // a profiler's CSV, one row per kernel
  kReport,      // a profiler's binary report
  kTrace,       // kernels of a trace: times, no counters
  kJson,        // strobe's own
  kRecording,   // strobe's own, from `kernels record`
};
std::string_view word_of(KernelSource source);
std::string_view word_of(ClockPolicy policy);  // "unknown", "free", "locked"

// Launches in execution order with their counters: columns, one entry per launch. A missing value
// is missing (NaN in a metric column), never zero.
struct KernelTable {
  std::string path;
  KernelSource source = KernelSource::kTextTable;
  ClockPolicy clock_policy = ClockPolicy::kUnknown;
  StringPool strings;
  std::vector<KernelDevice> devices;  // by index; empty if the file names none

  std::vector<StringId> names;          // as complete as in the file, demangled if possible
  std::vector<StringId> mangled_names;  // empty if the file has none
  std::vector<std::int64_t> durations_ns;
  std::vector<std::uint32_t> ids;  // the file's own number of the launch
  std::vector<LaunchShape> grids;
  std::vector<LaunchShape> blocks;
  std::vector<std::uint32_t> streams;  // empty if the file has none, like the next two
  std::vector<std::uint32_t> contexts;
  std::vector<std::int32_t> device_indices;
  std::array<std::vector<double>, kKernelMetrics> metrics;  // empty if no launch has it

  // Problems of the file, with row and column: "row 17, 'DRAM': 'abc' is not a number".
  std::vector<std::string> remarks;

  std::size_t size() const { return names.size(); }
  std::string_view name(std::size_t row) const { return strings[names[row]]; }
  bool has(KernelMetric metric) const { return !metrics[static_cast<std::size_t>(metric)].empty(); }
  std::optional<double> value(KernelMetric metric, std::size_t row) const;
  // Fills earlier rows with NaN.
  void set(KernelMetric metric, std::size_t row, double value);
  const KernelDevice* device_of(std::size_t row) const;  // nullptr if unknown
};

}  // namespace strobe
