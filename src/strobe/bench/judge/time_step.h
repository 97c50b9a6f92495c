#pragma once

#include <span>

namespace strobe::bench {

// The step of the clock that took these times, microseconds: what all differences between them are
// multiples of. 0 where there is none, or none that matters: below a thousandth of the median, or
// fewer than three different times to tell it from.
double time_step(std::span<const double> sorted_us);

}  // namespace strobe::bench
