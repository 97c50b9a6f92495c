#pragma once

#include <string>
#include <vector>

#include "strobe/trace/trace.h"

namespace strobe::report {

// Why the traces do not look like the ranks of one run: "they are from runs of 2 and 8 ranks".
// Empty if they may be.
std::string run_doubt(const std::vector<const Trace*>& traces);

// Who wrote the traces, each dialect once, with commas.
std::string writers_of(const std::vector<const Trace*>& traces);

}  // namespace strobe::report
