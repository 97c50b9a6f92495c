#pragma once

#include <optional>

#include "strobe/analysis/findings/finding_rules.h"

// What takes the time of a trace without device work.
namespace strobe::analysis {

std::optional<Finding> host_only(const Evidence& evidence);
std::optional<Finding> host_gap(const Evidence& evidence);
std::optional<Finding> host_self_time(const Evidence& evidence);

}  // namespace strobe::analysis
