#pragma once

#include <optional>

#include "strobe/analysis/launches/attribution.h"
#include "strobe/analysis/tables/summary.h"
#include "strobe/base/interval.h"

// What a program does once, before it runs steadily: the time before its first step and the steps
// that are warm-up.
namespace strobe::analysis {

// The summary's time after that; nothing if it takes too little time to matter, or if too few steps
// follow it.
std::optional<IntervalSet> find_steady_time(const AttributedTrace& whole, const Summary& summary);

}  // namespace strobe::analysis
