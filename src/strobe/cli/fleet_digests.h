#pragma once

#include <string>

#include "strobe/base/result.h"
#include "strobe/cli/loading.h"
#include "strobe/cli/terminal.h"
#include "strobe/fleet/digest/rank_numbers.h"
#include "strobe/fleet/world/world.h"

namespace strobe::cli {

// Reads every trace of a run once, the processes of `world` and their threads a part each, and
// keeps each digest in the cache. Only the first process gets them. An unreadable file stops
// nothing.
Result<fleet::JobDigests> read_job(const std::string& path, fleet::World& world,
                                   const LoadChoice& load, const Terminal& terminal);

}  // namespace strobe::cli
