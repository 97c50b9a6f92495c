#pragma once

#include <cstdint>
#include <vector>

#include "strobe/analysis/launches/attributed_trace.h"
#include "strobe/analysis/tables/summary.h"

namespace strobe::analysis {

// Every operator by name, nested ones too, with its phases (the ranges directly below it that are
// no operators) and the device work it and they launched themselves. One group for all threads, or
// one per thread that has operators. `flops_of_nodes`: per node, or empty when unknown.
std::vector<ThreadGroup<OperatorRow>> list_operators(
    const AttributedTrace& input, const std::vector<std::uint64_t>& flops_of_nodes,
    bool separate_threads);

}  // namespace strobe::analysis
