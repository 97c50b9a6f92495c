#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "strobe/base/result.h"
#include "strobe/wire/kernel_recording.h"

// What can prevent a recording.
namespace strobe::record {

// Whether there is a CUDA driver and a device at all, before a program is started. Otherwise
// kMachineLacks with what to do. If the kernel module lists a device, the driver is not started:
// that would take longer than everything else that strobe does.
Result<void> check_driver(const std::filesystem::path& listed_devices = "/proc/driver/nvidia/gpus");

// Whether the driver starts and sees a device: why a program may have recorded nothing.
Result<void> start_driver();

// Whether the kernel module reserves counters for administrators, and this process is not one.
// False if unknown.
bool counters_are_restricted();

// What prevented the recording, for the user: what was observed, and what to do. `text` was written
// by the injected library, in the process `program`.
Error explain(wire::Obstacle what, std::string_view text, std::string_view program);

}  // namespace strobe::record
