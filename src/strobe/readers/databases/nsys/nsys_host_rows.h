#pragma once

#include "strobe/readers/databases/nsys/nsys_file.h"

// What an export says about the host's threads besides their ranges. All return false if reading
// must end.
namespace strobe::readers {

// Calls to the runtime and the driver. They number the launches: device work comes after them.
bool add_nsys_calls(NsysFile& file);
// Waits for the device, calls into the system and into libraries, the profiler's own work.
bool add_nsys_waits(NsysFile& file);
bool add_nsys_library_calls(NsysFile& file);

}  // namespace strobe::readers
