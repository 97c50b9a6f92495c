#pragma once

#include <string>
#include <string_view>

#include "strobe/analysis/headroom/kernel_study.h"

namespace strobe::serve {

// The body of /api/v1/kernels. `name` is what the request called the file or trace.
std::string kernel_answer(std::string_view name, const analysis::KernelStudy& study);

}  // namespace strobe::serve
