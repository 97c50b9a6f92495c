#pragma once

#include <cstdint>
#include <vector>

#include "strobe/readers/dialect.h"
#include "strobe/readers/event_array.h"
#include "strobe/readers/shard.h"
#include "strobe/trace/trace_builder.h"

namespace strobe::readers {

// A stretch of the event array that one thread scanned into one shard.
struct Piece {
  std::uint64_t first_offset = 0;
  ArrayScan scan;
  std::size_t shard = 0;
  RowMarks begin;
  RowMarks end;
  ArgsStore args;
  ImportReport report;
};

// Brings the pieces, in file order, into the builder's columns; shards are emptied on the way.
// Strings, tracks and categories are numbered by first appearance in the file, so the result does
// not depend on who scanned what.
void merge_pieces(std::vector<Shard>& shards, std::vector<Piece>& pieces, TraceBuilder& builder,
                  FileOrder& order, ImportReport& report);

}  // namespace strobe::readers
