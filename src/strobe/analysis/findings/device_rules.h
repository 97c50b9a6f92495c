#pragma once

#include <optional>

#include "strobe/analysis/findings/finding_rules.h"

// What the device spends its time on.
namespace strobe::analysis {

std::optional<Finding> device_saturated(const Evidence& evidence);
std::optional<Finding> devices_take_turns(const Evidence& evidence);
std::optional<Finding> exposed_communication(const Evidence& evidence);
std::optional<Finding> copies_dominate(const Evidence& evidence);
std::optional<Finding> one_kernel_dominates(const Evidence& evidence);
std::optional<Finding> tiny_kernels(const Evidence& evidence);

}  // namespace strobe::analysis
