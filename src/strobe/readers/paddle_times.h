#pragma once

#include "strobe/readers/dialect.h"

namespace strobe::readers::paddle {

// Paddle writes `ts` cut to whole microseconds, and the exact start and end relative to the first
// host event, as 32-bit floats of microseconds: exact for 16 ms, within 0.5 us for 8 s, useless
// after minutes. Puts every start where the two together say it was, and every end into the
// nesting hints. Durations stay as read.
void restore_times(TraceBuilder& builder, const FileOrder& order);

}  // namespace strobe::readers::paddle
