#pragma once

#include <string>

#include "strobe/report/kernels/kernel_report.h"

namespace strobe::report {

// For tools: every sum of a study, and every launch as strobe reads it back. Times are whole
// nanoseconds and sums are exact; percentages have four decimals, what is unknown is null. Keys
// stay, new ones may come; a key that changes its meaning raises the version. docs/kernels.md
// describes them.
std::string kernel_json(const analysis::KernelStudy& study, const KernelPage& page);

}  // namespace strobe::report
