#pragma once

#include <span>
#include <vector>

#include "strobe/bench/results/cell_record.h"

// How long each kernel of a call took, over many calls.
namespace strobe::bench {

class KernelTimes {
 public:
  // The kernels of one call, in order; passed over if they are others than those of the first.
  void add(std::span<const KernelLaunch> call);
  // Those of the first call, each with its median.
  std::vector<KernelLaunch> medians() const;

 private:
  std::vector<KernelLaunch> kernels_;
  std::vector<std::vector<double>> us_;  // by kernel
};

double sum_us(std::span<const KernelLaunch> call);

// What a call launches, with the durations that were recorded of it. Where these are of other
// kernels, or more, the recording is right: a library's launches may be no more than its name.
std::vector<KernelLaunch> with_durations(std::vector<KernelLaunch> launches,
                                         std::vector<KernelLaunch> recorded);

}  // namespace strobe::bench
