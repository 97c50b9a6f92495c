#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "strobe/trace/kernel_table.h"

namespace strobe::readers {

// Counters of the vendor's hardware, some of which only make sense together.
enum class RawCounter : std::uint8_t {
  kFetchKib,
  kWriteKib,
  kL2HitPercent,
  kL2Hits,
  kL2Misses,
  kL2Requests,
  kReads,
  kReads32,
  kReads128,
  kWrites,
  kWrites64,
  kMatrixPercent,
  kMatrixCycles,
  kOccupancyPercent,
  kInstructions,
  kAdds,
  kMultiplies,
  kFusedMultiplyAdds,
  kCount_,
};
// kCount_ for a name that strobe does not use.
RawCounter raw_counter_of(std::string_view name);

// What the counters of one dispatch say, in strobe's words.
class RawCounters {
 public:
  RawCounters();

  void set(RawCounter counter, double value) { values_[static_cast<std::size_t>(counter)] = value; }

  struct Known {
    KernelMetric metric;
    double value;
  };
  // What follows from them; of a wave's threads, 0 is unknown.
  std::vector<Known> metrics(double wave_threads) const;

 private:
  double at(RawCounter counter) const { return values_[static_cast<std::size_t>(counter)]; }
  double read_bytes() const;
  double written_bytes() const;
  double l2_hit_percent() const;
  double l2_bytes() const;
  double matrix_percent() const;
  double flops(double wave_threads) const;

  std::array<double, static_cast<std::size_t>(RawCounter::kCount_)> values_;
};

}  // namespace strobe::readers
