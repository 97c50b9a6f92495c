#pragma once

#include <string>
#include <vector>

#include "strobe/analysis/headroom/kernel_study.h"

namespace strobe::analysis {

// What a reader of the numbers must know of how they were measured, each with what it means.
std::vector<std::string> kernel_warnings(const KernelStudy& study);

// The fastest a launch's multiprocessors could have run; 0 if neither file nor chip tell.
double most_clock_hz(const KernelStudy& study, std::size_t row);

}  // namespace strobe::analysis
