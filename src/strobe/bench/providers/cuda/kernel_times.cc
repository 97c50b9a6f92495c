#include "strobe/bench/providers/cuda/kernel_times.h"

#include <algorithm>

#include "strobe/stats/moments.h"

namespace strobe::bench {
namespace {

bool are_alike(std::span<const KernelLaunch> a, std::span<const KernelLaunch> b) {
  return std::ranges::equal(a, b, [](const KernelLaunch& one, const KernelLaunch& other) {
    return one.grid == other.grid && one.block == other.block;
  });
}

}  // namespace

void KernelTimes::add(std::span<const KernelLaunch> call) {
  if (kernels_.empty()) {
    kernels_.assign(call.begin(), call.end());
    us_.resize(call.size());
  }
  if (!are_alike(kernels_, call)) return;
  for (std::size_t i = 0; i < call.size(); ++i) us_[i].push_back(call[i].duration_us.value_or(0));
}

std::vector<KernelLaunch> KernelTimes::medians() const {
  std::vector<KernelLaunch> kernels = kernels_;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    kernels[i].duration_us = stats::median_of(us_[i]);
  }
  return kernels;
}

double sum_us(std::span<const KernelLaunch> call) {
  double sum = 0;
  for (const KernelLaunch& kernel : call) sum += kernel.duration_us.value_or(0);
  return sum;
}

std::vector<KernelLaunch> with_durations(std::vector<KernelLaunch> launches,
                                         std::vector<KernelLaunch> recorded) {
  if (recorded.empty()) return launches;
  if (!are_alike(launches, recorded)) return recorded;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    launches[i].duration_us = recorded[i].duration_us;
  }
  return launches;
}

}  // namespace strobe::bench
