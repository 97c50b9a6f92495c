#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/compare/comparison.h"

namespace strobe::compare {

// One rank in every run.
struct PairedRank {
  std::int32_t rank = 0;
  std::vector<const RankMeasure*> normals;  // the normal run, then the baselines
  const RankMeasure* abnormal = nullptr;
};

// Gives the other run's ranks and devices the names that normal's have, where they differ and
// `by_position` allows it; returns sentences on what was done. An error where each run has
// something that the other lacks, because then nothing would be compared with its like.
Result<std::vector<std::string>> align_with(const SideFacts& normal, SideFacts& other,
                                            bool by_position);

// Ranks that all runs have, ascending.
std::vector<PairedRank> pair_ranks(const SideFacts& normal, const SideFacts& abnormal,
                                   const std::vector<SideFacts>& baselines);

// If only some of the runs alternate between short and long cycles, all become one type and the
// answer is true: there would be nothing to compare them with.
bool unify_types(const std::vector<SideFacts*>& sides);

}  // namespace strobe::compare
