#pragma once

#include <vector>

#include "strobe/compare/comparison.h"
#include "strobe/compare/pairing.h"

namespace strobe::compare {

// One row per type of cycles, the most frequent one first. Ranks wait for each other, so that their
// cycles are one observation: the mean over ranks, where they have equally many, else those of the
// first rank. Cycles that the trace's border cut are shown and not tested, unless kept.
std::vector<CycleRow> compare_cycles(const std::vector<PairedRank>& ranks, bool keep_partial);

}  // namespace strobe::compare
