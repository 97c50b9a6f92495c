#pragma once

#include <optional>
#include <span>
#include <string>

#include "strobe/bench/results/cell_record.h"

// Did two providers run the same kernels?
namespace strobe::bench {

// Short name with functor, grid and block of every launch, in order; "" of an empty list.
std::string signature_of(std::span<const KernelLaunch> kernels);
bool ran_the_same(const CellRecord& baseline, const CellRecord& contender);
// No generated kernel (triton_..., strobe_...), but every kernel of the baseline again: a compiled
// function that ran as the eager one. Never of a provider that is there to call a library.
bool fell_back(const CellRecord& baseline, const CellRecord& contender);
// "tf32 against f16", from the kernels' names; empty where they agree or do not say.
std::string math_difference(const CellRecord& baseline, const CellRecord& contender);
// Flags on the contender's record what the pair shows.
void judge_pair(const CellRecord& baseline, CellRecord& contender);

}  // namespace strobe::bench
