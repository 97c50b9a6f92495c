#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "strobe/bench/workers/runner.h"

// What a run says of itself and of the device that it is about, before its first cell.
namespace strobe::bench {

// Floors and roofs are the first provider's that measures them; where only other people's stacks
// run on a device, a worker of strobe's own does it. `log` gets why something is missing.
RunHeader header_of(const RunRequest& request, Sessions sessions, std::vector<std::string>& log);

}  // namespace strobe::bench
