#pragma once

#include "strobe/readers/formats.h"

namespace strobe::readers {

// The folder that a framework's profiler for NPUs writes for one rank: "..._ascend_pt" or
// "..._ascend_ms", in which ASCEND_PROFILER_OUTPUT has the trace as JSON events, as a database or
// only as a table of kernels, and the file beside it says which rank it was. The same for that of
// the vendor's own profiler, whose mindstudio_profiler_output says everything twice, too.
extern const FolderFormat kAscendFolder;

}  // namespace strobe::readers
