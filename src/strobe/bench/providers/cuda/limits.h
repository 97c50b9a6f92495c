#pragma once

#include <memory>

#include "strobe/bench/providers/cuda/device_clock.h"
#include "strobe/bench/providers/cuda/session.h"
#include "strobe/bench/providers/cuda/vendor_libraries.h"
#include "strobe/bench/results/cell_record.h"

// The floors and roofs of measurements on this GPU.
namespace strobe::bench {

// `empty_kernel_record` is absent without CUPTI; `empty_kernel` is always absent, because another
// process reads the counters.
Result<Floors> measure_cuda_floors(DeviceClock& clock);
// Some empty kernels between the marks of a recorder.
Result<void> run_empty_kernels_counted(CudaDevice& device);

// The peak memory rates of this GPU, by kernels that do nothing else: GB/s over 1 GiB, or less if
// the device has no room; a copy counts the bytes it reads and those it writes.
Result<Roofs> measure_cuda_roofs(DeviceClock& clock);

// The peak rate of matrix products on this GPU: TFLOP/s of one bf16 product of two square matrices
// of size 8192, or 2048 if memory is short, by the fastest of cuBLASLt's algorithms. kMachineLacks
// without that library.
Result<double> measure_gemm_tflops(const std::shared_ptr<CudaSession>& session,
                                   VendorLibraries& libraries);

}  // namespace strobe::bench
