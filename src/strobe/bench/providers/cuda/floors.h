#pragma once

#include "strobe/bench/providers/cuda/device_clock.h"
#include "strobe/bench/results/cell_record.h"

// What measuring itself costs on this machine.
namespace strobe::bench {

// `empty_kernel_record` is absent where CUPTI is; `empty_kernel` always, since counters are another
// process's business.
Result<Floors> measure_cuda_floors(DeviceClock& clock);
// Some empty kernels between the marks of a recorder.
Result<void> run_empty_kernels_counted(CudaDevice& device);

}  // namespace strobe::bench
