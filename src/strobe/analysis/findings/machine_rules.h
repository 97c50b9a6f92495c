#pragma once

#include <optional>

#include "strobe/analysis/findings/finding_rules.h"

// What the machine did to the program, where a recorder looked: strobe record, or counters in the
// trace.
namespace strobe::analysis {

// Threads that launch wait for a core, and who runs instead.
std::optional<Finding> cores_are_taken(const Evidence& evidence);
// A quota stops the process.
std::optional<Finding> quota_stops(const Evidence& evidence);
// Power or heat limits the clock of a device while it works.
std::optional<Finding> clock_is_limited(const Evidence& evidence);
// Another process uses a device that this trace uses.
std::optional<Finding> device_is_shared(const Evidence& evidence);

}  // namespace strobe::analysis
