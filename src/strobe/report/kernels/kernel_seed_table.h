#pragma once

#include <string>

#include "strobe/analysis/headroom/kernel_groups.h"

namespace strobe::report {

// The classic kernel table: one line per launch in the order they ran, 76 columns wide, the name
// cut to 50, nanoseconds, and fractions of the peaks with two decimals. What was not counted is a
// dash, never a zero.
std::string kernel_seed_table(const analysis::KernelStudy& study,
                              analysis::KernelNameForm form = analysis::KernelNameForm::kSeed);

}  // namespace strobe::report
