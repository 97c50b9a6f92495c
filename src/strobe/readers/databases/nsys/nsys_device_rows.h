#pragma once

#include "strobe/readers/databases/nsys/nsys_file.h"

// Kernels, copies, memsets and graphs of an export as slices on the streams of their devices.
namespace strobe::readers {

// After the calls. False if reading must end.
bool add_nsys_device_work(NsysFile& file);

}  // namespace strobe::readers
