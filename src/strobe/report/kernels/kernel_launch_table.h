#pragma once

#include "strobe/report/kernels/kernel_report.h"
#include "strobe/report/render/document.h"

namespace strobe::report {

// Every launch in the order it ran, one row each.
Document kernel_launch_document(const analysis::KernelStudy& study, const KernelPage& page);

}  // namespace strobe::report
