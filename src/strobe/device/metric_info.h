#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Facts about a resource metric, derived from its name.
namespace strobe::device {

enum class MetricKind : std::uint8_t {
  kGauge,    // valid at one moment: a clock, a temperature, memory in use
  kWindow,   // describes the time since the previous sample: a utilisation, a rate
  kCounter,  // grows monotonically; its difference quotient is a window
  kEvent     // something that happened at one moment: an error code; it has no mean
};

enum class MetricRole : std::uint8_t {  // its meaning, independent of the sampler
  kUnknown,
  kCoreClock,
  kMemoryClock,
  kDeviceUse,         // of the whole device, percent
  kProcessDeviceUse,  // of the device by the traced process, percent
  kMemoryUse,         // memory controller busy, percent
  kMemoryUsed,        // memory allocated, percent of capacity
  kSmActivity,        // multiprocessors active or occupied, percent
  kPower,
  kPowerLimit,
  kTemperature,
  kPcieTraffic,
  kPcieReplays,  // packets that had to be sent again
  kLinkTraffic,
  kThrottleReasons,
  kMemoryErrors,  // that the device's memory corrected, or could not correct
  kDeviceErrors,  // codes of the driver
  // Of processes that do not belong to the traced program. kOneForeign...: of each by itself.
  kForeignDeviceUse,  // percent of the device
  kOneForeignDeviceUse,
  kForeignProcesses,  // how many use the device
  kForeignMemory,     // of the device, percent of capacity
  kForeignCpuUse,     // 100 is one core
  kOneForeignCpuUse,
  kHostCpuUse,     // of all cores, percent
  kHostLoad,       // threads that run or want to
  kProcessCpuUse,  // 100 is one core
  kCpuClock,
  kOnCpu,           // time the process ran
  kRunQueue,        // time it waited for a core
  kForcedSwitches,  // times that it lost its core although it had more to do
  kOwnSwitches,     // times that it gave its core away
  kCpuQuota,        // cores that it may use
  kQuotaThrottled,  // time that it was stopped because it had used them up
  kCpuPressure,     // time in which a thread of the machine waited for a core
  kMemoryPressure,  // likewise, for memory
  kIoPressure,      // likewise, for a disk
  kThreadOnCpu,     // of one thread: percent of the time it ran
  kThreadRunQueue,  // of one thread: percent of the time it waited for a core
  kDisk,
  kMajorFaults,  // pages that had to be read from a disk
  kHostMemory,
};

// Whether all processes of a control group have the same value: it is not added up over them.
constexpr bool is_shared_by_processes(MetricRole role) {
  return role == MetricRole::kCpuQuota || role == MetricRole::kQuotaThrottled;
}

// The functions over which the metric should be averaged; kNone: it says nothing about a single
// function, only about whole cycles.
enum class MetricScope : std::uint8_t {
  kKernels,
  kHostCopies,
  kDeviceCopies,
  kHost,
  kHostIo,
  kNone
};

struct MetricInfo {
  MetricKind kind = MetricKind::kGauge;
  MetricRole role = MetricRole::kUnknown;
  MetricScope scope = MetricScope::kKernels;
  std::string_view unit;  // "MHz", "%", "B/s"; for a counter the unit of its rate
  double scale = 1;       // from the sampler's unit to that one: 1e-3 for mW in W
  bool has_key = false;   // one of several series of this metric, told apart by metric_key()
};

// "python3 (4711)" of "gpu_foreign_process_usage python3 (4711)": what follows the metric's name.
std::string_view metric_key(std::string_view metric);

// The name of the program in such a key: "python3".
std::string_view program_of(std::string_view key);

// strobe itself, which samples while the program runs: its own process is nobody's rival.
bool is_recorder(std::string_view key);

// The plausible values of a metric of this role, in its unit; if a typical value is outside, it was
// sampled in another unit than its name says.
struct MetricRange {
  double low = 0;
  double high = 0;
};
std::optional<MetricRange> believable_range(const MetricInfo& info);

// Bits of a metric with role kThrottleReasons, as NVML numbers them.
inline constexpr std::uint64_t kIdleReason = 0x01;             // no limit: nothing runs
inline constexpr std::uint64_t kPowerReasons = 0x04 | 0x80;    // software power cap, power brake
inline constexpr std::uint64_t kThermalReasons = 0x20 | 0x40;  // software, hardware
inline constexpr std::uint64_t kHardwareReason = 0x08;         // heat or power, it does not say
inline constexpr std::uint64_t kSettingReasons = 0x02 | 0x10 | 0x100;  // somebody chose the clock

// Those that limit the clock. The hardware's kinds of heat and power come with kHardwareReason,
// which counts only where it stands alone.
std::uint64_t clock_limits_in(std::uint64_t reasons);

// Each of the bits in words, the most drastic first; unknown ones together as a number.
std::vector<std::string> clock_reason_names(std::uint64_t bits);
// The same as one text: "heat, power cap"; "none" for 0.
std::string clock_limits_text(std::uint64_t bits);

// The bits that more than half of the samples have: a mean or median of bits means nothing.
std::uint64_t usual_bits(std::span<const double> samples);

// Unknown names are neutral gauges; they belong to the host if `device` is not a device. A name may
// be followed by a blank and a key: "gpu_foreign_process_usage python3 (4711)".
MetricInfo metric_info(std::string_view metric, std::string_view device);

}  // namespace strobe::device
