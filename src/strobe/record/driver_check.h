#pragma once

#include "strobe/base/result.h"

namespace strobe::record {

// Whether there is a CUDA driver and a device at all, before a program is started for nothing.
// kMachineLacks with what to do if not.
Result<void> check_driver();

// Whether the kernel module gives counters to administrators only, and this process is none. False
// if nobody knows.
bool counters_are_restricted();

}  // namespace strobe::record
