#pragma once

#include "strobe/readers/formats.h"

namespace strobe::readers {

// The folder that PyTorch's profiler for NPUs writes for one rank: "..._ascend_pt", in which
// ASCEND_PROFILER_OUTPUT has the trace as JSON events, as a database or only as a table of kernels,
// and the file beside it says which rank it was.
extern const FolderFormat kAscendFolder;

}  // namespace strobe::readers
