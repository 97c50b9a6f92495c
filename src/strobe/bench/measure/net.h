#pragma once

#include <optional>

#include "strobe/bench/results/cell_record.h"

namespace strobe::bench {

// `--net`: what is left of a time when the event pair around it is taken off; spread and counts
// stay. Only a time between events has such a pair, and only a measured floor can be taken off:
// else nothing. A time below the floor is 0. No record ever holds a net time.
std::optional<TimeSummary> net_of(const TimeSummary& gross, TimeMode mode, const Floors& floors);

}  // namespace strobe::bench
