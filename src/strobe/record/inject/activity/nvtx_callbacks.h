#pragma once

#include "strobe/record/inject/activity/nvtx_abi.h"
#include "strobe/record/inject/activity/nvtx_ranges.h"

namespace strobe::record {

// From now on one copy of NVTX reports to `ranges`, which must never be freed then. A process has
// as many copies as libraries that were built with it; each attaches itself at its first call.
// False if this copy offers no way to do so. In a forked child all copies go on with the ranges of
// the parent, which are abandoned there: the program holds their handles.
bool attach_nvtx(NvtxRanges& ranges, NvtxExportTables tables) noexcept;

// Whether this is such a child: the ranges that it makes are not recorded.
bool nvtx_is_abandoned() noexcept;

// The recorder provides it, for the entry point of the library: the ranges of this process, opened;
// nullptr if none are recorded. NVTX may be the first that loads the library, and CUDA may never
// come; and copies of NVTX ask in several threads at once.
NvtxRanges* ranges_of_this_process() noexcept;

}  // namespace strobe::record
