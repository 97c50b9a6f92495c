#pragma once

#include <optional>
#include <span>

#include "strobe/analysis/findings/finding.h"
#include "strobe/analysis/findings/finding_evidence.h"

namespace strobe::analysis {

// Says something if it is true and worth saying.
using FindingRule = std::optional<Finding> (*)(const Evidence& evidence);

std::span<const FindingRule> finding_rules();

}  // namespace strobe::analysis
