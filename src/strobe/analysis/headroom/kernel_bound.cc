#include "strobe/analysis/headroom/kernel_bound.h"

namespace strobe::analysis {

std::string_view word_of(KernelBound bound) {
  switch (bound) {
    case KernelBound::kTensorBound:
      return "tensor-bound";
    case KernelBound::kTensorLeaning:
      return "tensor-leaning";
    case KernelBound::kDramBound:
      return "dram-bound";
    case KernelBound::kDramLeaning:
      return "dram-leaning";
    case KernelBound::kL2Bound:
      return "l2-bound";
    case KernelBound::kLatencyBound:
      return "latency-bound";
    case KernelBound::kUnknown:
    case KernelBound::kCount_:
      break;
  }
  return "unknown";
}

KernelBound kernel_bound(const KernelSample& sample, std::optional<double> l2_share) {
  const std::optional<double> busier = busier_percent(sample);
  if (!busier) return KernelBound::kUnknown;
  const bool is_tensor = sample.tensor_percent &&
                         (!sample.dram_percent || *sample.tensor_percent >= *sample.dram_percent);
  if (*busier >= kBoundPercent) {
    return is_tensor ? KernelBound::kTensorBound : KernelBound::kDramBound;
  }
  if (*busier >= kLeaningPercent) {
    return is_tensor ? KernelBound::kTensorLeaning : KernelBound::kDramLeaning;
  }
  if (l2_share && *l2_share > kBoundPercent / 100) return KernelBound::kL2Bound;
  // What was not counted may be what limits it.
  return is_limit_known(sample) ? KernelBound::kLatencyBound : KernelBound::kUnknown;
}

bool is_clock_low(double clock_hz, double most_clock_hz) {
  return clock_hz > 0 && most_clock_hz > 0 && clock_hz < kLowClockShare * most_clock_hz;
}

}  // namespace strobe::analysis
