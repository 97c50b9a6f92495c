#pragma once

#include "strobe/readers/dialect.h"
#include "strobe/trace/import_report.h"
#include "strobe/trace/trace_builder.h"

namespace strobe::readers {

// Gives every slice its kind, and the flags its name deserves, as the dialect says.
void classify_slices(TraceBuilder& builder, const Dialect& dialect);

// Reports the launches that cannot be joined: device work without its call, calls that share an id.
void check_launches(const SliceVectors& slices, ImportReport& report);

}  // namespace strobe::readers
