#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "strobe/analysis/timeline/timeline.h"

namespace strobe::analysis {

struct SelectionRequest {
  Interval window;
  std::optional<std::vector<TrackId>> tracks = {};  // of all if absent
  std::optional<std::vector<SliceId>> slices = {};  // only these, ascending
  std::size_t top = 100;
};

struct SelectedTrack {
  TrackId track;
  std::uint64_t slices = 0;
  std::int64_t busy_ns = 0;  // at least one of them open
};

struct SelectedLook {
  Look look;
  std::uint64_t count = 0;
  std::int64_t total_ns = 0;
  std::int64_t self_ns = 0;
  std::int64_t longest_ns = -1;
  SliceId longest;
};

// Sums over an area of the timeline. A slice counts with its part inside the window.
struct Selection {
  std::uint64_t slices = 0;
  std::vector<SelectedTrack> tracks;  // those with slices
  std::vector<SelectedLook> top;      // by total time, longest first
  std::uint64_t looks_left_out = 0;
};

Selection add_up_selection(const Timeline& timeline, const SelectionRequest& request);

}  // namespace strobe::analysis
