#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "strobe/base/result.h"
#include "strobe/wire/kernel_recording.h"

// What may stand in the way of a recording.
namespace strobe::record {

// Whether there is a CUDA driver and a device at all, before a program is started for nothing.
// kMachineLacks with what to do if not. Where the kernel module lists a device, the driver is not
// started for this: that takes longer than all else that strobe does.
Result<void> check_driver(const std::filesystem::path& listed_devices = "/proc/driver/nvidia/gpus");

// Whether the driver starts and sees a device: why a program may have recorded nothing.
Result<void> start_driver();

// Whether the kernel module gives counters to administrators only, and this process is not one.
// False if that cannot be found out.
bool counters_are_restricted();

// What stood in the way, as a person needs to hear it: what was seen, and what to do about it.
// `text` is what the injected library wrote down, `program` the process it wrote it in.
Error explain(wire::Obstacle what, std::string_view text, std::string_view program);

}  // namespace strobe::record
