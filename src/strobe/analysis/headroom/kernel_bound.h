#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "strobe/analysis/headroom/kernel_sums.h"

namespace strobe::analysis {

// What limits a kernel.
enum class KernelBound : std::uint8_t {
  kTensorBound,
  kTensorLeaning,
  kDramBound,
  kDramLeaning,
  kL2Bound,
  kLatencyBound,
  kUnknown,  // too few counters to tell
  kCount_,
};
std::string_view word_of(KernelBound bound);  // "tensor-bound"

inline constexpr std::int64_t kShortNs = 10'000;  // below: ramp-up dominates the percentages
inline constexpr double kLowClockShare = 0.80;

// `l2_share`: bytes through the second-level cache against what it can do, if both are known.
KernelBound kernel_bound(const KernelSample& sample, std::optional<double> l2_share = {});

bool is_clock_low(double clock_hz, double most_clock_hz);  // 0: not known

}  // namespace strobe::analysis
