#pragma once

#include <cstdint>
#include <string>

#include "strobe/trace/trace.h"
#include "strobe/writers/event_texts.h"
#include "strobe/writers/lanes.h"
#include "strobe/writers/track_places.h"

namespace strobe::writers {

// A trace in a file of several.
struct TraceInFile {
  std::string label;           // "rank 3"; "" in a file of its own
  std::uint32_t position = 0;  // among the traces of the file
};

// Writes what viewers show beside the events: names and order of processes, threads and lanes.
void write_track_names(const Trace& trace, const Lanes& lanes, const TrackPlaces& places,
                       const TraceInFile& in_file, EventLines& lines);

}  // namespace strobe::writers
