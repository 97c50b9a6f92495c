#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/analysis/steps/steps.h"
#include "strobe/base/result.h"
#include "strobe/trace/trace.h"

namespace strobe::analysis {

// Steps that the trace does not mark: cycles that were found in it.
struct FoundCycles {
  std::string method;  // word_of(CycleMethod): "kernel sequence"
  std::string marker;  // what recurs, "" if it has no name
};

// The marked steps or, where the trace marks none, its cycles: only those that are sure, and only
// whole ones. `found` is set if they are cycles.
std::vector<Step> steps_or_cycles(const Trace& trace, std::optional<FoundCycles>& found);

// choose_steps from those.
Result<StepSelection> find_steps(const Trace& trace, NumberRange range,
                                 std::string_view where = "--steps");

}  // namespace strobe::analysis
