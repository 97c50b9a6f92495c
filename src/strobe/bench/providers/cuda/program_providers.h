#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "strobe/bench/cases/case_info.h"
#include "strobe/bench/providers/codegen/kernel_program.h"
#include "strobe/bench/providers/codegen/tuner.h"
#include "strobe/bench/providers/cuda/session.h"
#include "strobe/bench/providers/cuda/vendor_libraries.h"
#include "strobe/bench/providers/provider.h"

// The providers of generated kernels. The generator is a parameter, so that tests can script it.
namespace strobe::bench {

using UnfusedMaker =
    std::function<Result<KernelProgram>(const CaseInfo&, const Shape&, DType, const ChipFacts&)>;
using CandidateMaker = std::function<Result<std::vector<KernelProgram>>(
    const CaseInfo&, const Shape&, DType, const ChipFacts&)>;

// "cuda-unfused": one kernel per operator; products, convolutions and attention by the libraries.
std::unique_ptr<Provider> make_unfused_provider(UnfusedMaker maker, OpenSession open,
                                                LibraryOpeners libraries = {});
// "cuda-fused": one kernel, the fastest of its candidates.
std::unique_ptr<Provider> make_fused_provider(CandidateMaker maker, OpenSession open);

}  // namespace strobe::bench
