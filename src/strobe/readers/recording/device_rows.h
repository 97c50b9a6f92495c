#pragma once

#include "strobe/readers/recording/launch_numbers.h"
#include "strobe/readers/recording/recorded_file.h"
#include "strobe/readers/trace_sink.h"

// Kernels, graphs, copies and memsets of a recording as slices on the streams of their devices.
namespace strobe::readers {

// False if loading was cancelled.
bool add_device_work(const RecordedFile& file, LaunchNumbers& launches, TraceSink& sink);

}  // namespace strobe::readers
