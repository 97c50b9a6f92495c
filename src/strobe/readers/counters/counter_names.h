#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "strobe/trace/kernel_table.h"

namespace strobe::readers {

// What a number measures; a label with another quantity is another metric.
enum class Quantity : std::uint8_t {
  kNone,  // the file does not say
  kTime,  // in ns
  kPercent,
  kBytes,
  kFrequency,  // in Hz
  kCount,
  kRate,  // of anything but cycles, per second
};

struct Unit {
  Quantity quantity = Quantity::kNone;
  int power_of_ten = 0;  // times 10^this gives the base unit
};

// "us", "usecond", "Kbyte/block", "cycle/nsecond", "%". Any other word is a count.
Unit unit_of(std::string_view word);

// What a file may contain about a launch: first the metrics of a KernelTable under their own
// numbers, then the values that a table is computed from.
enum class Counter : std::uint8_t {
  kDuration = kKernelMetrics,
  kAdds,  // 32-bit, per thread
  kMultiplies,
  kFusedMultiplyAdds,
  kStaticSharedBytes,
  kDynamicSharedBytes,
  kGridX,
  kGridY,
  kGridZ,
  kBlockX,
  kBlockY,
  kBlockZ,
  kDevice,
  kContext,
  kStream,
  // Of the device that ran it.
  kDeviceName,  // a text
  kCapabilityMajor,
  kCapabilityMinor,
  kSmCount,
  kMostClockKhz,
  kBusBits,
  kDramClockKhz,
  kCount_,
};
inline constexpr std::size_t kCounters = static_cast<std::size_t>(Counter::kCount_);
constexpr bool is_of_device(Counter counter) { return counter >= Counter::kDeviceName; }
constexpr Counter counter_of(KernelMetric metric) { return static_cast<Counter>(metric); }

// One of the names under which a profiler reports a counter.
struct NamedCounter {
  Counter counter = Counter::kCount_;
  Quantity quantity = Quantity::kNone;  // required quantity; kNone: any
  std::uint8_t rank = 0;                // 0 is the best source of that counter
};

// Nothing for the many names that strobe does not read. Accepts metric names
// ("gpu__time_duration.sum") and labels of the details page ("Duration").
std::optional<NamedCounter> find_counter(std::string_view name);

}  // namespace strobe::readers
