#pragma once

#include <string>
#include <vector>

#include "strobe/trace/trace.h"

namespace strobe::analysis {

// Tracks that belong together on the screen: the threads of a process, the streams of a device.
struct TrackGroup {
  std::string name;  // "python (589)", "NVIDIA H200 · GPU 0"
  TrackKind kind = TrackKind::kOther;
  std::vector<TrackId> tracks;
};

// Every track with slices, in the order to draw them: processes with their main threads first and
// their asynchronous tracks last, then devices, then the rest.
std::vector<TrackGroup> group_tracks(const Trace& trace);

// "stream 7", "thread 589 (python)", "no thread".
std::string track_name(const Trace& trace, TrackId track);

}  // namespace strobe::analysis
