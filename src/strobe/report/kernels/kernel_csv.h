#pragma once

#include <string>

#include "strobe/report/kernels/kernel_report.h"

namespace strobe::report {

// One line per launch in the order they ran: nanoseconds, percent of peaks, and a column for every
// counter that any launch has, under its word and in base units. What is unknown is empty.
std::string kernel_launch_csv(const analysis::KernelStudy& study, const KernelPage& page);

// One line per group, with the columns of the page's table.
std::string kernel_group_csv(const analysis::KernelStudy& study, const KernelPage& page);

}  // namespace strobe::report
