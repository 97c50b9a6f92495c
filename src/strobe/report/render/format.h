#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "strobe/analysis/tables/table_options.h"

// Numbers for people: every one with its unit, and no more digits than one can use.
namespace strobe::report {

// Three significant digits: "812 ns", "1.23 ms", "942 ms", "17.8 s", "1,250 s".
std::string duration_text(std::int64_t duration_ns);

// In the unit asked for, if one is, with a fixed number of decimals: "0.812 us", "1234.568 ms",
// "<0.001 ms" for what would round to nothing.
std::string duration_text(std::int64_t duration_ns, std::optional<analysis::TimeUnit> unit);

// Three significant digits over 1023 bytes: "512 B", "1.50 KiB", "80.0 GiB".
std::string bytes_text(std::int64_t bytes);

// "1,234,567"
std::string count_text(std::uint64_t count);

// "1 call", "1,234 calls"
std::string counted(std::uint64_t count, const std::string& noun);

// A share of 1 as "9.6 %"; "<0.1 %" for what would round to nothing.
std::string percent_text(double share);

// A number of tenths of a percent: 96 is "9.6 %".
std::string permille_text(std::int64_t permille);

// Shares that add up to 1, as tenths of a percent that add up to exactly 1000: the largest
// remainders are rounded up. Any other sum keeps its own rounded total.
std::vector<std::int64_t> balanced_permille(const std::vector<double>& shares);

}  // namespace strobe::report
