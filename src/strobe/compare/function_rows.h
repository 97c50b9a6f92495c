#pragma once

#include <vector>

#include "strobe/compare/comparison.h"
#include "strobe/compare/pairing.h"

namespace strobe::compare {

struct FunctionRows {
  std::vector<FunctionRow> functions;
  std::vector<TripletRow> triplets;
};

// Every function that any run has, in each type of cycles, with the metrics that any run has for
// it; q and verdicts included, scores not.
FunctionRows compare_functions(const std::vector<PairedRank>& ranks,
                               const std::vector<analysis::CycleType>& types);

}  // namespace strobe::compare
