#include "strobe/analysis/headroom/kernel_sums.h"

#include <algorithm>

namespace strobe::analysis {
namespace {

// In percent of the roofs, not of the peaks.
std::optional<double> busier_under(const KernelSample& sample, const Roofs& roofs) {
  std::optional<double> busier;
  const auto take = [&](std::optional<double> percent, double roof) {
    if (!percent) return;
    const double under_roof = roof == 1 ? *percent : *percent / roof;
    busier = busier ? std::max(*busier, under_roof) : under_roof;
  };
  take(sample.tensor_percent, roofs.tensor);
  take(sample.dram_percent, roofs.dram);
  return busier;
}

std::optional<double> per(double part, std::int64_t whole_ns) {
  if (whole_ns <= 0) return {};
  return part / static_cast<double>(whole_ns);
}

}  // namespace

void KernelSums::add(const KernelSample& sample, const Roofs& roofs) {
  const std::int64_t ns = sample.latency_ns;
  const auto weight = static_cast<double>(ns);
  least_ns = launches == 0 ? ns : std::min(least_ns, ns);
  most_ns = launches == 0 ? ns : std::max(most_ns, ns);
  ++launches;
  latency_ns += ns;
  if (sample.tensor_percent) {
    tensor_ns_percent += weight * *sample.tensor_percent;
    tensor_counted_ns += ns;
  }
  if (sample.dram_percent) {
    dram_ns_percent += weight * *sample.dram_percent;
    dram_counted_ns += ns;
  }
  if (is_limit_known(sample)) {
    // No kernel exceeds the peak, so a count above 100 % is wrong.
    headroom_ns_percent += weight * std::max(0.0, 100 - *busier_percent(sample));
    achievable_ns_percent += weight * std::max(0.0, 100 - *busier_under(sample, roofs));
    headroom_counted_ns += ns;
  }
}

void KernelSums::add(const KernelSums& other) {
  if (other.launches == 0) return;
  least_ns = launches == 0 ? other.least_ns : std::min(least_ns, other.least_ns);
  most_ns = launches == 0 ? other.most_ns : std::max(most_ns, other.most_ns);
  launches += other.launches;
  latency_ns += other.latency_ns;
  tensor_ns_percent += other.tensor_ns_percent;
  dram_ns_percent += other.dram_ns_percent;
  headroom_ns_percent += other.headroom_ns_percent;
  achievable_ns_percent += other.achievable_ns_percent;
  tensor_counted_ns += other.tensor_counted_ns;
  dram_counted_ns += other.dram_counted_ns;
  headroom_counted_ns += other.headroom_counted_ns;
}

double KernelSums::mean_ns() const {
  return launches == 0 ? 0 : static_cast<double>(latency_ns) / static_cast<double>(launches);
}

std::optional<double> KernelSums::tensor_percent() const {
  return per(tensor_ns_percent, tensor_counted_ns);
}

std::optional<double> KernelSums::dram_percent() const {
  return per(dram_ns_percent, dram_counted_ns);
}

std::optional<double> KernelSums::headroom_ns() const {
  if (headroom_counted_ns <= 0) return {};
  return headroom_ns_percent / 100;
}

std::optional<double> KernelSums::achievable_headroom_ns() const {
  if (headroom_counted_ns <= 0) return {};
  return achievable_ns_percent / 100;
}

double KernelSums::share_of(const KernelSums& whole) const {
  return per(static_cast<double>(latency_ns), whole.latency_ns).value_or(0);
}

std::optional<double> KernelSums::headroom_share_of(const KernelSums& whole) const {
  const std::optional<double> headroom = headroom_ns();
  if (!headroom) return {};
  return per(*headroom, whole.latency_ns);
}

std::optional<double> busier_percent(const KernelSample& sample) {
  return busier_under(sample, Roofs{});
}

bool is_limit_known(const KernelSample& sample) {
  if (sample.tensor_percent && sample.dram_percent) return true;
  return busier_percent(sample).value_or(0) >= kLeaningPercent;
}

std::optional<double> headroom_ns(const KernelSample& sample, const Roofs& roofs) {
  if (!is_limit_known(sample)) return {};
  const double busier = *busier_under(sample, roofs);
  return static_cast<double>(sample.latency_ns) * std::max(0.0, 100 - busier) / 100;
}

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
  // The limit may be a resource that was not counted.
  return is_limit_known(sample) ? KernelBound::kLatencyBound : KernelBound::kUnknown;
}

bool is_clock_low(double clock_hz, double most_clock_hz) {
  return clock_hz > 0 && most_clock_hz > 0 && clock_hz < kLowClockShare * most_clock_hz;
}

}  // namespace strobe::analysis
