#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "strobe/trace/tables.h"
#include "strobe/trace/trace_builder.h"

namespace strobe::readers {

// Which rows changed places, and between which ones.
struct RowMoves {
  std::size_t first = 0;  // all others are counted from here
  std::size_t rows = 0;
  std::vector<std::uint32_t> from;
  std::vector<std::uint32_t> to;

  // The new row of each row from `first` on; empty if all stay where they are.
  std::vector<std::uint32_t> new_rows() const;
};

// Puts the slices from row `first` on into the order of their starts within each track, a slice
// before what it contains. The rows come as a program writes them: when they end, or in order but
// for neighbours that start together.
RowMoves order_by_start(SliceVectors& slices, std::size_t first);
// The same for slices of one track.
RowMoves order_track_by_start(SliceVectors& slices, std::size_t first);
// The same for all slices of a trace, which gets no more of them: they are packed. Its sequences
// follow them.
void pack_by_start(TraceBuilder& builder);
// Puts them back.
void undo(RowMoves moves, SliceVectors& slices);

}  // namespace strobe::readers
