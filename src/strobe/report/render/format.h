#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "strobe/analysis/tables/table_options.h"
#include "strobe/base/text.h"

// Numbers for people: each with its unit, and no more digits than useful.
namespace strobe::report {

using strobe::duration_text;

// In the given unit, if any, with a fixed number of decimals: "0.812 us", "1234.568 ms", "<0.001
// ms" for values that would round to zero.
std::string duration_text(std::int64_t duration_ns, std::optional<analysis::TimeUnit> unit);

// Shares that add up to 1, as tenths of a percent that add up to exactly 1000: the largest
// remainders are rounded up. Any other sum keeps its own rounded total.
std::vector<std::int64_t> balanced_permille(const std::vector<double>& shares);

}  // namespace strobe::report
