#pragma once

#include "tests/support/recount/recount.h"
#include "tests/support/recount/sorted_slices.h"

namespace strobe::recount {

// Operators and ranges with what they launched, and kernels with who launched them.
void count_names(const SortedSlices& slices, Tables& tables);

}  // namespace strobe::recount
