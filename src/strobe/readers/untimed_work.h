#pragma once

#include "strobe/readers/dialect.h"
#include "strobe/trace/import_report.h"
#include "strobe/trace/trace_builder.h"

namespace strobe::readers {

// A device that could not tell when its work ran leaves 0 as the start and the end, and profilers
// write that as it is, or cut it off at the 0 of their own clock. Such work is left out and counted
// as an event without a time: one slice decades before all others would hide them. Work at time 0
// of a trace that begins there is real. Called when the slices have their kinds.
void leave_out_untimed_work(TraceBuilder& builder, FileOrder& order, ImportReport& report);

}  // namespace strobe::readers
