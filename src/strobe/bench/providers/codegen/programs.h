#pragma once

#include <vector>

#include "strobe/base/result.h"
#include "strobe/bench/cases/case_info.h"
#include "strobe/bench/cell.h"
#include "strobe/bench/providers/codegen/kernel_program.h"

// From a case at a shape to programs that compute it. Tensors of elements must start at multiples
// of 16 bytes. A case that is not over rows, or the wrong kind of shape, is kUnsupported.
namespace strobe::bench {

inline constexpr std::size_t kMostCandidates = 24;

// One kernel per operator, as an eager framework runs it; intermediate tensors are in `between`.
Result<KernelProgram> unfused_program(const CaseInfo& info, const Shape& shape, DType dtype,
                                      const ChipFacts& chip);
// One kernel for all of it, in several variants for the tuner, the best guess first. Never empty.
Result<std::vector<KernelProgram>> fused_candidates(const CaseInfo& info, const Shape& shape,
                                                    DType dtype, const ChipFacts& chip);

}  // namespace strobe::bench
