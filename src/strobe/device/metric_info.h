#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

// Facts about a resource metric, derived from its name.
namespace strobe::device {

enum class MetricKind : std::uint8_t {
  kGauge,   // valid at one moment: a clock, a temperature, memory in use
  kWindow,  // describes the time since the previous sample: a utilisation, a rate
  kCounter  // grows monotonically; its difference quotient is a window
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
  kTemperature,
  kPcieTraffic,
  kLinkTraffic,
  kThrottleReasons,
  kHostCpuUse,     // of all cores, percent
  kProcessCpuUse,  // 100 is one core
  kCpuClock,
  kOnCpu,     // time the process ran
  kRunQueue,  // time it waited for a core
  kDisk,
  kHostMemory,
};

// The functions over which the metric should be averaged.
enum class MetricScope : std::uint8_t { kKernels, kHostCopies, kDeviceCopies, kHost, kHostIo };

struct MetricInfo {
  MetricKind kind = MetricKind::kGauge;
  MetricRole role = MetricRole::kUnknown;
  MetricScope scope = MetricScope::kKernels;
  std::string_view unit;  // "MHz", "%", "B/s"; for a counter the unit of its rate
  double scale = 1;       // from the sampler's unit to that one: 1e-3 for mW in W
};

// The plausible values of a metric of this role, in its unit; if a typical value is outside, it was
// sampled in another unit than its name says.
struct MetricRange {
  double low = 0;
  double high = 0;
};
std::optional<MetricRange> believable_range(const MetricInfo& info);

// Bits of a metric with role kThrottleReasons, as NVML numbers them.
inline constexpr std::uint64_t kPowerReasons = 0x04 | 0x80;    // software power cap, power brake
inline constexpr std::uint64_t kThermalReasons = 0x20 | 0x40;  // software, hardware

// The bits that more than half of the samples have: a mean or median of bits means nothing.
std::uint64_t usual_bits(std::span<const double> samples);

// Unknown names are neutral gauges; they belong to the host if `device` is not a device.
MetricInfo metric_info(std::string_view metric, std::string_view device);

}  // namespace strobe::device
