#pragma once

#include <functional>
#include <span>
#include <vector>

#include "strobe/bench/providers/cuda/device.h"
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

// The kernels that a call launches, a library's too: the call is captured into a graph that is read
// and never run.

// Empty where the driver cannot tell (before CUDA 12.3) or the call cannot be captured.
std::vector<KernelLaunch> captured_kernels(CudaDevice& device,
                                           const std::function<Result<void>()>& enqueue);

}  // namespace strobe::bench
