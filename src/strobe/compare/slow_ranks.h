#pragma once

#include <vector>

#include "strobe/compare/one_run.h"

namespace strobe::compare {

// One row per rank, with the verdict whether it is slow. Two rules find a slow rank, because noise
// hides either:
// - its own time is far beyond that of its peers, in most cycles, and by more than it varies from
//   cycle to cycle;
// - in clearly more cycles than by chance it is in collectives for a shorter time than any other
//   rank, by a real part of the cycle: the others wait for it there. Only ranks that call equally
//   many collectives are compared so.
// Arrivals at the collectives, which need the traces, are not filled in.
std::vector<RankRow> judged_ranks(const std::vector<RankMeasure>& ranks);

}  // namespace strobe::compare
