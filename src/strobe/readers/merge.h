#pragma once

#include <cstdint>
#include <vector>

#include "strobe/readers/dialect.h"
#include "strobe/readers/event_array.h"
#include "strobe/readers/shard.h"
#include "strobe/trace/import_report.h"
#include "strobe/trace/trace_builder.h"

namespace strobe::readers {

// Merges the pieces, in file order, into the builder's columns and empties the shards. Strings,
// tracks and categories are numbered by first appearance in the file, so the result does not depend
// on which thread scanned what.
void merge_pieces(std::vector<Shard>& shards, std::vector<Piece>& pieces, TraceBuilder& builder,
                  FileOrder& order, ImportReport& report);

}  // namespace strobe::readers
