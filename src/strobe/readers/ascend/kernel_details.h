#pragma once

#include "strobe/readers/formats.h"

namespace strobe::readers {

// The table of kernels that an NPU's profiler writes (kernel_details.csv, op_summary.csv), as a
// trace without a host. A folder of the profiler has it beside the trace, or alone.
extern const FileFormat kKernelDetails;

}  // namespace strobe::readers
