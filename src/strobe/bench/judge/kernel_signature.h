#pragma once

#include <span>
#include <string>

#include "strobe/bench/results/cell_record.h"

// Checks whether two providers ran the same kernels.
namespace strobe::bench {

// Short name with functor, grid and block of every launch, in order; "" for an empty list.
std::string signature_of(std::span<const KernelLaunch> kernels);
bool ran_the_same(const CellRecord& baseline, const CellRecord& contender);
// No kernel was generated (triton_..., strobe_...), and all kernels of the baseline ran: a compiled
// function that ran as the eager one. Never for a provider that is meant to call a library.
bool fell_back(const CellRecord& baseline, const CellRecord& contender);
// "tf32 against f16", from the kernels' names; empty if they agree or do not say.
std::string math_difference(const CellRecord& baseline, const CellRecord& contender);
// Sets flags on the contender's record.
void judge_pair(const CellRecord& baseline, CellRecord& contender);

}  // namespace strobe::bench
