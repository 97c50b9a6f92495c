#pragma once

#include "strobe/trace/trace_builder.h"

namespace strobe::readers {

// Follows the arrows of an NPU's trace, which lead from a moment inside of a runtime call to the
// start of device work: both get one correlation, unique in the trace. Where a thread of its own
// makes the calls that other threads have queued, an operator owns the calls that were made for it:
//
//     operator  |--- aten::mm ---|                 --- the arrow of the queue --->
//                   |enqueue|----.
//     worker                     '-->|---- dequeue ----|
//                                       |--- call ---|--------> device work
void join_npu_launches(TraceBuilder& builder);

}  // namespace strobe::readers
