#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "strobe/bench/cases/case_info.h"
#include "strobe/bench/providers/cuda/library_steps.h"
#include "strobe/bench/providers/cuda/session.h"
#include "strobe/bench/providers/cuda/vendor_libraries.h"

// Cases computed by the vendor's libraries: as much as one call of a library can do at once, or one
// kernel for each operator. kUnsupported says why a library does not support it.
namespace strobe::bench {

enum class Fusion : std::uint8_t { kFused, kUnfused };

struct CallRequest {
  const CaseInfo& info;
  const Shape& shape;
  DType dtype = DType::kF32;
  Fusion fusion = Fusion::kFused;
};

// By cuBLASLt.
Result<LibraryCall> matmul_call(const std::shared_ptr<CudaSession>& session,
                                VendorLibraries& libraries, const CallRequest& request);
// By cuDNN.
Result<LibraryCall> convolution_call(const std::shared_ptr<CudaSession>& session,
                                     VendorLibraries& libraries, const CallRequest& request);
// Fused by cuDNN; unfused as two products by cuBLASLt and the operators between them.
Result<LibraryCall> attention_call(const std::shared_ptr<CudaSession>& session,
                                   VendorLibraries& libraries, const CallRequest& request);

// The inputs of the case as buffers, and its single output, called "out".
std::vector<CellTensor> case_tensors(const CaseInfo& info, const Shape& shape);

}  // namespace strobe::bench
