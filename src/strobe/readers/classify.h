#pragma once

#include "strobe/readers/dialect.h"
#include "strobe/trace/import_report.h"
#include "strobe/trace/trace_builder.h"

namespace strobe::readers {

// Sets the kind of every slice, and the flags for its name, according to the dialect.
void classify_slices(TraceBuilder& builder, const Dialect& dialect);

// Gives kernels names that people can read: writers of some vendors leave them mangled.
void demangle_kernels(TraceBuilder& builder);

// Reports the launches that cannot be joined: device work without its call, calls that share an id.
void check_launches(const SliceVectors& slices, ImportReport& report);
void check_launches(const SliceColumns& slices, ImportReport& report);

}  // namespace strobe::readers
