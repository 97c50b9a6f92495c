#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "strobe/trace/tables.h"

namespace strobe::readers {

// Puts the slices from row `first` on into the order of their starts within each track, a slice
// before what it contains. The rows come as a program writes them: when they end.
// Returns the new row of each of them; empty if all stay where they are.
std::vector<std::uint32_t> order_by_start(SliceVectors& slices, std::size_t first);

}  // namespace strobe::readers
