#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "strobe/analysis/tables/number_range.h"
#include "strobe/analysis/tables/summary.h"
#include "strobe/base/result.h"
#include "strobe/trace/trace.h"

namespace strobe::analysis {

// One training or inference step of one process.
struct Step {
  StringId name;
  std::optional<std::int64_t> number;  // n of "...#n"
  StringId process;
  Interval interval;
  std::vector<SliceId> slices;  // several when threads repeat the same step
};

// All steps, by start. Slices of one process and name that overlap are one step.
std::vector<Step> list_steps(const Trace& trace);

// The steps with these numbers, as in the steps' names when all are numbered, else positions from
// 0; `where` names the flag or parameter in errors.
Result<StepSelection> find_steps(const Trace& trace, NumberRange range,
                                 std::string_view where = "--steps");

}  // namespace strobe::analysis
