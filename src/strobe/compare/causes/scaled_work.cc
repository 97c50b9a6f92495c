#include "strobe/compare/causes/scaled_work.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "strobe/stats/moments.h"

namespace strobe::compare {
namespace {

constexpr double kSameWork = 0.02;

// Logarithms of the factors of one kernel.
struct KernelScale {
  double work = 0;  // launches and their blocks
  double time = 0;
  double changed_ms = 0;

  bool has_same_work() const { return std::abs(work) <= kSameWork; }
  bool follows_work() const { return !has_same_work() && time / work >= 0.3 && time / work <= 1.5; }
};

KernelScale scale_of(const FunctionRow& row) {
  const bool has_blocks = row.blocks_normal > 0 && row.blocks_abnormal > 0;
  const double blocks = has_blocks ? row.blocks_abnormal / row.blocks_normal : 1;
  return {.work = std::log(calls_are_equal(row) ? blocks : calls_factor(row) * blocks),
          .time = std::log(row.own_ms().core_ratio()),
          .changed_ms = std::abs(row.own_ms().core_difference())};
}

// The middle one of the kernels that follow their work; 0 without such kernels.
double typical_work(const std::vector<KernelScale>& scales) {
  std::vector<double> works;
  for (const KernelScale& scale : scales) {
    if (scale.follows_work()) works.push_back(scale.work);
  }
  return works.empty() ? 0 : stats::median_of(works);
}

}  // namespace

ScaledWork scaled_work(const DeviceSymptoms& device) {
  constexpr std::size_t kLeastKernels = 3;
  constexpr std::size_t kManyKernels = 6;
  constexpr double kLeastPart = 0.2;  // of the change, in kernels that say how much work they have
  std::vector<KernelScale> scales;
  double changed_ms = 0;
  for (const FunctionRow* row : device.kernels) {
    const KernelScale scale = scale_of(*row);
    if (!std::isfinite(scale.work) || !std::isfinite(scale.time)) continue;  // in one run only
    scales.push_back(scale);
    changed_ms += scale.changed_ms;
  }
  const double work = typical_work(scales);
  if (std::abs(work) <= kSameWork) return {};
  const auto is_near = [&](double one) {
    return std::abs(one - work) <= 0.15 * std::abs(work) + 0.01;
  };
  std::size_t kernels = 0;
  std::size_t others = 0;
  double scaled_ms = 0;
  double fixed_ms = 0;
  for (const KernelScale& scale : scales) {
    if (scale.has_same_work()) {
      const bool is_within = scale.time / work > 0 && scale.time / work <= 1.25;
      if (is_within) fixed_ms += scale.changed_ms;
    } else if (scale.follows_work() && is_near(scale.work)) {
      ++kernels;
      scaled_ms += scale.changed_ms;
    } else {
      ++others;
    }
  }
  const ScaledWork found = {.factor = std::exp(work),
                            .kernels = kernels,
                            .explained_share = (scaled_ms + fixed_ms) / changed_ms};
  // Many kernels that agree say it for those that changed for reasons of their own.
  const double least_share = kernels >= kManyKernels ? 0.4 : 0.7;
  const bool is_enough = kernels >= kLeastKernels && 2 * kernels >= 3 * others &&
                         scaled_ms >= kLeastPart * changed_ms &&
                         found.explained_share >= least_share;
  return is_enough ? found : ScaledWork();
}

}  // namespace strobe::compare
