#pragma once

#include <cstdint>
#include <vector>

#include "strobe/analysis/ranks/collective_form.h"
#include "strobe/compare/measure/measure.h"

// How long ranks are in collectives, wherever those run: in kernels of a device, or in a library's
// range on the host.
namespace strobe::compare {

analysis::CollectiveForm collective_form(const FunctionKey& key, bool is_operator);

// The best form in which one of these ranks shows its collectives: all must be judged by the same.
// Calls that may only launch an exchange count if no rank has a device that could run it.
analysis::CollectiveForm best_collective_form(const std::vector<RankMeasure>& ranks);

struct CollectiveCycles {
  bool is_known = false;  // the rank has collectives in this form
  // Per cycle.
  std::vector<std::int64_t> time_ns;  // at most the whole cycle
  std::vector<std::uint64_t> calls;   // that begin in it
};

CollectiveCycles collective_cycles(const RankMeasure& rank, analysis::CollectiveForm form);

// The rank's own time: its cycles are shorter by their collectives, which are gone. For collectives
// of the host, beside which no device works.
RankMeasure without_collectives(RankMeasure rank, analysis::CollectiveForm form);

}  // namespace strobe::compare
