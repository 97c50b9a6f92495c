#pragma once

#include <functional>
#include <vector>

#include "strobe/bench/providers/cuda/device.h"
#include "strobe/bench/results/cell_record.h"

// What a call launches, whoever launches it: the call is captured into a graph that is read and
// never run.
namespace strobe::bench {

// Empty where the driver cannot tell (before CUDA 12.3) or the call cannot be captured.
std::vector<KernelLaunch> captured_kernels(CudaDevice& device,
                                           const std::function<Result<void>()>& enqueue);

}  // namespace strobe::bench
