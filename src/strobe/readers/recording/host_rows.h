#pragma once

#include <cstdint>

#include "strobe/readers/recording/launch_numbers.h"
#include "strobe/readers/recording/recorded_file.h"
#include "strobe/readers/trace_sink.h"

// What the threads of a recorded process did, as slices on their tracks: ranges of the program,
// calls into the device's libraries, and waits for the device. `process` is its id. All return
// false if loading was cancelled.
namespace strobe::readers {

bool add_ranges(const RecordedFile& file, std::int64_t process, TraceSink& sink);

// Learns the numbers of launches from the calls.
bool add_calls(const RecordedFile& file, std::int64_t process, LaunchNumbers& launches,
               TraceSink& sink);

bool add_syncs(const RecordedFile& file, std::int64_t process, LaunchNumbers& launches,
               TraceSink& sink);

}  // namespace strobe::readers
