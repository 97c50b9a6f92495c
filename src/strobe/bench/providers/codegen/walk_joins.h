#pragma once

#include "strobe/bench/providers/codegen/row_plan.h"

// Two walks of a plan whose results can go through the barriers together: half as many exchanges.
namespace strobe::bench {

// Where a maximum is only there to be taken off before an exponential that is summed up, every
// thread takes its own maximum off, and the two go through the barriers together: half as many.
// What was kept of the exponential is then of the thread's own maximum. False: there is no such
// place.
bool join_softmaxes(RowPlan& plan, const Expression& expression);
// Where the squares about a mean are summed up, the walk that sums up the values does both. The
// walk of the squares is then without elements. False: there is no such place.
bool join_moments(RowPlan& plan, const Expression& expression);
// Both.
bool join_walks(RowPlan& plan, const Expression& expression);

}  // namespace strobe::bench
