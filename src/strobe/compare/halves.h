#pragma once

#include "strobe/base/result.h"
#include "strobe/compare/comparison.h"
#include "strobe/trace/run.h"

namespace strobe::compare {

// The cycles [begin, end) of a measured rank, as if it had no others.
RankMeasure cycles_between(const RankMeasure& measure, std::size_t begin, std::size_t end);

// The first half of a run's cycles against the second: did something change while it ran?
Result<Comparison> compare_halves(const Run& run, const CompareOptions& options = {});

}  // namespace strobe::compare
