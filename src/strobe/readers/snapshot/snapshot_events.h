#pragma once

#include "strobe/readers/trace_sink.h"
#include "strobe/trace/allocator_snapshot.h"

namespace strobe::readers {

// The histories whose events have times, as instants and rows of the memory table. A history
// without times adds nothing: a trace is about time.
void add_allocator_events(const AllocatorSnapshot& snapshot, TraceSink& sink);

}  // namespace strobe::readers
