#pragma once

#include <span>

#include "strobe/analysis/health/health.h"
#include "strobe/analysis/health/health_evidence.h"

namespace strobe::analysis {

// Tells what it looks for, if that was seen.
using HealthRule = MaybeRemark (*)(const HealthEvidence& evidence);

// Work and the calls that launch it: one side of a pair is missing.
std::span<const HealthRule> launch_health_rules();
// What the writer or the reader of the file lost.
std::span<const HealthRule> loss_health_rules();
// Clocks, overlaps and steps.
std::span<const HealthRule> time_health_rules();

}  // namespace strobe::analysis
