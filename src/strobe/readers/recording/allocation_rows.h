#pragma once

#include <cstdint>

#include "strobe/readers/recording/launch_numbers.h"
#include "strobe/readers/recording/recorded_file.h"
#include "strobe/readers/trace_sink.h"

namespace strobe::readers {

// Memory that a recorded process asked its device's library for, as instants on the threads of
// their calls and as rows of the memory table. The calls are in the sink already. False if loading
// was cancelled.
bool add_allocations(const RecordedFile& file, std::int64_t process, LaunchNumbers& launches,
                     TraceSink& sink);

}  // namespace strobe::readers
