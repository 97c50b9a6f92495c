#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "strobe/base/interval.h"

// The first cycles of a program load code, allocate memory and tune libraries. What they take says
// nothing about the others, so averages and verdicts leave them out.
namespace strobe::analysis {

// How many of the leading cycles are warm-up. A cycle is if it is far longer than the later ones:
// than 1.5 times their median, than the median and six deviations, and than 1.2 times all but one
// in fifty of them. The first cycle is, or none; at most a third of the cycles and at most 16 are,
// and at least four are not. A program that is slow for longer than that is slow for another
// reason.
std::size_t count_warm_up_cycles(std::span<const std::int64_t> lengths_ns);

struct WarmUp {
  std::size_t cycles = 0;
  std::int64_t end_ns = 0;  // where the first steady cycle starts; no meaning without any
};
// `cycles` in time order.
WarmUp find_warm_up(std::span<const Interval> cycles);

// Where the steady part of a run without cycles starts: after the last call that a warm program no
// longer makes, as long as such calls take at least a quarter of the time so far, the device works
// at most a tenth of it, and then works most of its time and at least four times as much of the
// time. Nothing if there is no such start, or if it takes less than a tenth of the run.
std::optional<std::int64_t> find_steady_start_ns(Interval run, const IntervalSet& one_off_calls,
                                                 const IntervalSet& device_works);

}  // namespace strobe::analysis
