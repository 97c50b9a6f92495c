#pragma once

#include <optional>

#include "strobe/analysis/findings/finding_rules.h"

// Why the device was idle. Each rule names one cause and how much of the steps it explains.
namespace strobe::analysis {

// pace_rules.cc
std::optional<Finding> launch_pace(const Evidence& evidence);
std::optional<Finding> queue_drained(const Evidence& evidence);

// recording_rules.cc
std::optional<Finding> profiler_overhead(const Evidence& evidence);
std::optional<Finding> blocking_launches(const Evidence& evidence);
// Nearly every launch call lasts until its kernel has ended.
bool launches_block(const Evidence& evidence);

// stall_rules.cc
std::optional<Finding> blocking_call(const Evidence& evidence);
std::optional<Finding> idle_in_host_code(const Evidence& evidence);
std::optional<Finding> host_stalls(const Evidence& evidence);
std::optional<Finding> work_without_launches(const Evidence& evidence);

}  // namespace strobe::analysis
