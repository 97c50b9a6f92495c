#pragma once

#include <cstdint>
#include <vector>

#include "strobe/analysis/launches/attributed_trace.h"

namespace strobe::analysis {

// Floating-point operations per node, estimated from the shapes its operator was called with; empty
// when the trace has no arguments.
std::vector<std::uint64_t> estimate_flops(const AttributedTrace& input);

}  // namespace strobe::analysis
