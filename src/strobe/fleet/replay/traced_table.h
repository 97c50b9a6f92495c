#pragma once

#include <span>

#include "strobe/base/result.h"
#include "strobe/fleet/digest/rank_digest.h"
#include "strobe/fleet/job.h"
#include "strobe/fleet/replay/operation_table.h"

namespace strobe::fleet {

// Whether ranges name the passes of a pipeline, so that there may be a table of its operations.
bool names_passes(std::span<const RankDigest> digests);

// The table of the operations that ranges name, on the common clock. `job` is made of the digests.
// Ranks of one stage are its data-parallel ranks, in their order. An error says why the operations
// cannot be replayed.
Result<OperationTable> traced_table(std::span<const RankDigest> digests, const Job& job);

}  // namespace strobe::fleet
