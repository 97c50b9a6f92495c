#pragma once

#include "strobe/bench/providers/cpu/kernels.h"
#include "strobe/bench/providers/cpu/thread_team.h"
#include "strobe/bench/results/cell_record.h"

// How fast this host can be at all, measured with the same threads and vectors as its cells.
namespace strobe::bench {

Floors measure_host_floors(ThreadTeam& team);
// Bandwidths over buffers of four times the last cache, the best of several calls.
Result<Roofs> measure_host_roofs(ThreadTeam& team, const KernelSet& kernels,
                                 std::int64_t cache_bytes);

}  // namespace strobe::bench
