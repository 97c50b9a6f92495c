#pragma once

#include "strobe/readers/databases/nsys/nsys_file.h"

namespace strobe::readers {

// The ranges and marks that the program and its libraries open with NVTX, and which operators their
// names link with a backward. False if reading must end.
bool add_nsys_ranges(NsysFile& file);

}  // namespace strobe::readers
