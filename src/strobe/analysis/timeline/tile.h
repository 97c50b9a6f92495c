#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "strobe/analysis/timeline/timeline.h"

namespace strobe::analysis {

struct TileRequest {
  Interval window;                             // not empty
  std::uint32_t columns = 1;                   // at least one
  std::optional<std::vector<TrackId>> tracks;  // of all if absent
};

// Neighbouring columns with slices too narrow to be drawn one by one.
struct DenseStretch {
  std::uint32_t first_column = 0;
  std::uint32_t columns = 0;
  double covered_share = 0;
  std::uint64_t slices = 0;  // each counts where it starts, or in the first column
  Look leader;  // covers most; with many slices in a column, estimated from their blocks
};

struct TileRow {
  TrackId track;
  std::uint32_t row = 0;
  std::vector<SliceId> wide;  // at least as long as a column, by start
  std::vector<DenseStretch> dense;
};

// The visible part of a window on a screen with that many columns: every slice that overlaps the
// window is either listed or counted, once. Empty rows are left out. The time needed grows with the
// columns and a sixteenth of the visible slices.
std::vector<TileRow> make_tile(const Timeline& timeline, const TileRequest& request);

}  // namespace strobe::analysis
