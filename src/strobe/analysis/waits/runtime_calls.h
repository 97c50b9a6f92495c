#pragma once

#include <cstdint>
#include <vector>

#include "strobe/analysis/launches/attribution.h"
#include "strobe/analysis/waits/waits.h"
#include "strobe/base/interval.h"

namespace strobe::analysis {

// Runtime calls by name, most time first.
struct CallTable {
  std::vector<RuntimeCallRow> rows;    // without the source of their longest
  std::vector<std::uint32_t> threads;  // per row: the one of the longest call
};
// Calls that meet the span, with their time inside it. `idle`: the time in the span in which no
// device works.
CallTable add_up_calls(const AttributedTrace& input, const IntervalSet& span,
                       const IntervalSet& steps, const IntervalSet& idle);

}  // namespace strobe::analysis
