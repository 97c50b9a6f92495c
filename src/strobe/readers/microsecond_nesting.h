#pragma once

#include "strobe/trace/trace_builder.h"

namespace strobe::readers {

// Whole microseconds hide which range is inside which: a call of 300 ns at the end of another one
// starts where that one ends, and both of a nested pair may last no time at all. Fills the ends for
// nesting, so that such a call keeps its parent; times stay as they are.
//
// Writers that list ranges by their end and number them by their start say exactly what is inside
// what. For others, the ranges of the same names decide that are long enough to tell.
//
// An end alone cannot express everything: of two short siblings that start in the same microsecond,
// the one with children takes the other one in, as does a longer range that starts there, too.
void hint_nesting_of_microseconds(TraceBuilder& builder);

}  // namespace strobe::readers
