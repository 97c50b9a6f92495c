#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "strobe/analysis/findings/finding_evidence.h"
#include "strobe/analysis/tables/summary.h"
#include "strobe/trace/trace.h"

// What a program does once, before it runs steadily: the time before its first step and the steps
// that are warm-up.
namespace strobe::analysis {

// How long the start-up takes and what it is made of. `whole` contains it, `steady` does not.
Finding describe_start_up(const Summary& whole, const Evidence& steady);

}  // namespace strobe::analysis
