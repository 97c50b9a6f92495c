#pragma once

#include <span>
#include <string_view>

#include "strobe/analysis/cycles/cycles.h"

namespace strobe::analysis {

// How to cut a run, as people write it: auto (or nothing), steps, marker=REGEX, frame, kernels,
// busy, none. `where` names the flag or parameter in errors.
Result<CycleOptions> parse_cycle_options(std::string_view where, std::string_view typed);

std::span<const std::string_view> cycle_words();

}  // namespace strobe::analysis
