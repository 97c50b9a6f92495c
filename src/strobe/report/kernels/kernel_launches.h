#pragma once

#include <string>

#include "strobe/analysis/headroom/kernel_groups.h"
#include "strobe/report/kernels/kernel_report.h"
#include "strobe/report/render/document.h"

namespace strobe::report {

// Every launch in execution order, one row each.
Document kernel_launch_document(const analysis::KernelStudy& study, const KernelPage& page);

// The classic kernel table: one line per launch in execution order, 76 columns wide, the name cut
// to 50, nanoseconds, and fractions of the peaks with two decimals. Uncounted values are a dash,
// never a zero.
std::string kernel_classic_table(
    const analysis::KernelStudy& study,
    analysis::KernelNameForm form = analysis::KernelNameForm::kClassic);

// One line per launch in execution order: nanoseconds, percent of peaks, and a column for every
// counter that any launch has, under its key and in base units. Unknown values are empty.
std::string kernel_launch_csv(const analysis::KernelStudy& study, const KernelPage& page);

// One line per group, with the columns of the page's table.
std::string kernel_group_csv(const analysis::KernelStudy& study, const KernelPage& page);

}  // namespace strobe::report
