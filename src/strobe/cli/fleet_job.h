#pragma once

#include "strobe/base/result.h"
#include "strobe/cli/fleet_request.h"
#include "strobe/cli/terminal.h"
#include "strobe/fleet/world/world.h"

namespace strobe::cli {

// `strobe fleet RUN` for traces of ranks, in one process or in several.
Result<void> explain_ranks(const FleetRequest& request, fleet::World& world,
                           const Terminal& terminal);

}  // namespace strobe::cli
