#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/analysis/findings/finding.h"
#include "strobe/analysis/findings/finding_evidence.h"

namespace strobe::analysis {

// Adds a finding if the rule applies and the finding matters.
using FindingRule = std::optional<Finding> (*)(const Evidence& evidence);

std::span<const FindingRule> finding_rules();
// Why the device was idle. They need all device work, so a trace that is cut off cannot prove them.
std::span<const FindingRule> idle_rules();

// Whether the pace of the launches keeps the device idle.
bool is_launch_bound(const Evidence& evidence);

inline double ratio(double part, double whole) { return whole > 0 ? part / whole : 0.0; }
inline double ratio_ns(std::int64_t part_ns, std::int64_t whole_ns) {
  return ratio(static_cast<double>(part_ns), static_cast<double>(whole_ns));
}

inline FindingWeight weight_of(double share, double matters_from) {
  return share >= matters_from ? FindingWeight::kMatters : FindingWeight::kWorthALook;
}

// "21.0 % of the 5 steps (1.05 s)"
std::string part_text(const Evidence& evidence, std::int64_t part_ns);

}  // namespace strobe::analysis
