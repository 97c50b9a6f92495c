#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>

#include "strobe/base/result.h"

// `strobe record dump`: asking a flight recorder for what it has.
namespace strobe::record {

// `process` is a recorder, or a process that one has started. Waits until the dump is whole and
// returns its folder. kNotFound if nobody records the process, kUnsupported if its recorder keeps
// everything.
Result<std::filesystem::path> request_dump(
    pid_t process, std::chrono::milliseconds patience = std::chrono::seconds(60));

}  // namespace strobe::record
