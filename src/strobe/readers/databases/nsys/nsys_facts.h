#pragma once

#include "strobe/readers/databases/nsys/nsys_file.h"

namespace strobe::readers {

// What an export says about devices, processes, threads and the clock.
void take_nsys_facts(NsysFile& file);

// What the profiler said about the recording itself, above all that it lost something.
void report_nsys_diagnostics(NsysFile& file);

}  // namespace strobe::readers
