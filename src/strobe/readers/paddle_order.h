#pragma once

#include "strobe/readers/dialect.h"

namespace strobe::readers::paddle {

// Paddle writes `ts` truncated to whole microseconds, and the exact start and end relative to the
// first host event, as 32-bit floats of microseconds: exact for 16 ms, within 0.5 us for 8 s,
// useless after minutes. Combines both into the best estimate of every start, and puts every end
// into the nesting hints. Durations stay as read.
void restore_times(TraceBuilder& builder, const FileOrder& order);

// Paddle writes thread by thread, and each host range is followed directly by its runtime calls
// (each with the device work it launched) and its memory events; what comes before a thread's first
// range belongs to no range. Correlation ids may repeat, so this order is more reliable. If a file
// is in that order, owners are taken from it, which is immune to rounding; if not (sorted or edited
// by a tool), nothing is set and times must decide. Expects restored times.
void take_owners_from_order(TraceBuilder& builder, const FileOrder& order);

}  // namespace strobe::readers::paddle
