#pragma once

#include <vector>

#include "strobe/readers/shard.h"
#include "strobe/trace/import_report.h"
#include "strobe/trace/trace_builder.h"

namespace strobe::readers {

// Turns B/E and asynchronous b/e (or S/F) pairs, given in file order with the builder's ids, into
// slices at the end of the columns; their kind is left for the caller to decide. A beginning
// without an end lasts until its track's last time.
void pair_edges(std::vector<SpanEdgeRow> edges, TraceBuilder& builder, ImportReport& report);

}  // namespace strobe::readers
