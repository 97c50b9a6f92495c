#pragma once

#include <optional>
#include <span>

#include "strobe/base/result.h"
#include "strobe/fleet/digest/rank_digest.h"
#include "strobe/fleet/job.h"
#include "strobe/fleet/replay/operation_table.h"
#include "strobe/fleet/replay/replay.h"

namespace strobe::fleet {

// The table of the operations of a pipeline that ranges name, on the common clock. `job` is made of
// the digests. Ranks of one stage are its data-parallel ranks, in their order. An error says why
// there is no table.
Result<OperationTable> traced_table(std::span<const RankDigest> digests, const Job& job);

// What it answers; nothing where no range names a pass.
std::optional<Result<Replay>> replay_traces(std::span<const RankDigest> digests, const Job& job);

}  // namespace strobe::fleet
