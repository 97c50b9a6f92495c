#pragma once

#include <cstddef>
#include <span>

namespace strobe::stats {

// As how many independent values a sample in the order of measuring counts for its median: all of
// them, unless neighbours lie on the same side of it more often than chance explains, as they do
// while a clock drifts. 0 of nothing, else at least 1.
std::size_t effective_count(std::span<const double> in_order);

}  // namespace strobe::stats
