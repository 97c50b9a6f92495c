#pragma once

#include <memory>

#include "strobe/bench/providers/cuda/device_clock.h"
#include "strobe/bench/providers/cuda/session.h"
#include "strobe/bench/providers/cuda/vendor_libraries.h"
#include "strobe/bench/results/cell_record.h"

// What measuring itself costs on this machine.
namespace strobe::bench {

// `empty_kernel_record` is absent where CUPTI is; `empty_kernel` always, since counters are another
// process's business.
Result<Floors> measure_cuda_floors(DeviceClock& clock);
// Some empty kernels between the marks of a recorder.
Result<void> run_empty_kernels_counted(CudaDevice& device);

// How fast this GPU's memory is at its best, by kernels that do nothing else.

// GB/s over 1 GiB, less where the device has no room: a copy counts what it reads and what it
// writes.
Result<Roofs> measure_cuda_roofs(DeviceClock& clock);

// How fast this GPU multiplies at its best.

// TFLOP/s of one bf16 product of two square matrices of 8192, or 2048 where there is little room,
// by the fastest of cuBLASLt's algorithms. kNotFound without that library.
Result<double> measure_gemm_tflops(const std::shared_ptr<CudaSession>& session,
                                   VendorLibraries& libraries);

}  // namespace strobe::bench
