#pragma once

#include <functional>
#include <span>
#include <vector>

#include "strobe/bench/providers/cuda/device.h"
#include "strobe/bench/results/cell_record.h"

// The kernels of a call, and how long each took over many calls.
namespace strobe::bench {

class KernelTimes {
 public:
  // The kernels of one call, in order; ignored if they differ from those of the first call.
  void add(std::span<const KernelLaunch> call);
  // Those of the first call, each with its median.
  std::vector<KernelLaunch> medians() const;

 private:
  std::vector<KernelLaunch> kernels_;
  std::vector<std::vector<double>> us_;  // by kernel
};

double sum_us(std::span<const KernelLaunch> call);

// Adds the recorded durations to the launches of a call. If the recording has other or more
// kernels, it is used instead: a library's launches may be no more than its name.
std::vector<KernelLaunch> with_durations(std::vector<KernelLaunch> launches,
                                         std::vector<KernelLaunch> recorded);

// The kernels that a call launches, including a library's: the call is captured into a graph that
// is read and never run. Empty if the driver cannot tell (before CUDA 12.3) or the call cannot be
// captured.
std::vector<KernelLaunch> captured_kernels(CudaDevice& device,
                                           const std::function<Result<void>()>& enqueue);

}  // namespace strobe::bench
