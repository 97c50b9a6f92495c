#pragma once

#include <memory>

#include "strobe/bench/providers/cuda/session.h"
#include "strobe/bench/providers/cuda/vendor_libraries.h"

// How fast this GPU multiplies at its best.
namespace strobe::bench {

// TFLOP/s of one bf16 product of two square matrices of 8192, or 2048 where there is little room,
// by the fastest of cuBLASLt's algorithms. kNotFound without that library.
Result<double> measure_gemm_tflops(const std::shared_ptr<CudaSession>& session,
                                   VendorLibraries& libraries);

}  // namespace strobe::bench
