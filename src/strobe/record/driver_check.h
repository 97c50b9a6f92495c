#pragma once

#include <filesystem>

#include "strobe/base/result.h"

namespace strobe::record {

// Whether there is a CUDA driver and a device at all, before a program is started for nothing.
// kMachineLacks with what to do if not. Where the kernel module lists a device, the driver is not
// started for this: that takes longer than all else that strobe does.
Result<void> check_driver(const std::filesystem::path& listed_devices = "/proc/driver/nvidia/gpus");

// Whether the driver starts and sees a device: why a program may have recorded nothing.
Result<void> start_driver();

// Whether the kernel module gives counters to administrators only, and this process is none. False
// if nobody knows.
bool counters_are_restricted();

}  // namespace strobe::record
