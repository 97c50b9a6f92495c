#pragma once

#include "strobe/readers/formats.h"

namespace strobe::readers {

// XPlane, the file of XLA's profiler (JAX, TensorFlow, PyTorch/XLA), for every device.
extern const FileFormat kXplane;

}  // namespace strobe::readers
