#pragma once

#include <cstdint>

#include "strobe/trace/trace.h"
#include "strobe/writers/lanes.h"
#include "strobe/writers/text_buffer.h"
#include "strobe/writers/track_names.h"
#include "strobe/writers/track_places.h"

namespace strobe::writers {

// One trace and its places in a file.
struct EventSource {
  const Trace* trace = nullptr;
  const Lanes* lanes = nullptr;
  const TrackPlaces* places = nullptr;
  TraceInFile in_file;
  bool is_first = true;       // no event was written before
  std::int64_t shift_ns = 0;  // added to every time
};

// Writes the events of a trace, each on a line of its own, with commas between them: slices in the
// order of their rows, then arrows, instants and counters, then names. Returns their number. An
// error of the sink ends the writing early.
//
// A trace without arrows gets those from runtime calls to their device work.
std::uint64_t write_events(const EventSource& source, TextBuffer& buffer);

}  // namespace strobe::writers
