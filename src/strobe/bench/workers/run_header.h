#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "strobe/bench/workers/runner.h"

// Facts about a run and its device, collected before the first cell.
namespace strobe::bench {

// Floors and roofs come from the first provider that measures them; if only external stacks run on
// a device, one of strobe's own workers measures them. `log` receives why something is missing.
RunHeader header_of(const RunRequest& request, Sessions sessions, std::vector<std::string>& log);

}  // namespace strobe::bench
