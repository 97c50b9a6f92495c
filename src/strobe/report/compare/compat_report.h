#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/compare/compat/compat.h"

// The report of the script that strobe replaces.
namespace strobe::report {

// In Markdown, byte for byte as its readers and scripts expect it.
std::string compat_markdown(const compare::CompatComparison& comparison);

// For programs, at full precision; values that are not numbers are the text "nan".
// {"cycles": {"normal": [us, ...], "abnormal": [...]}, "rows": [{...}, ...]}
std::string compat_json(const compare::CompatComparison& comparison);

// The rows, with the keys of the JSON as header.
std::string compat_csv(const compare::CompatComparison& comparison);

// The number of cycles, and their average length.
std::string summary_table(const std::vector<double>& normal_us,
                          const std::vector<double>& abnormal_us);

// A run with fewer cycles than the other has no time in the last rows.
enum class MissingTimes : std::uint8_t {
  kStayNumbers,
  kMakeText  // its numbers stay unformatted, as in the original, which did not intend this
};

// The k-th longest cycle of one run next to the k-th longest of the other.
std::string cycles_table(std::vector<double> normal_us, std::vector<double> abnormal_us,
                         MissingTimes missing);

// `unknown` stands for what is not a number; the original wrote "nan".
std::string rows_table(const std::vector<compare::CompatRow>& rows, std::string_view unknown);

// Rounded to `decimals`, then to six digits without trailing zeros: "1561.72", "0.1",
// "6.68812e+07", "-0".
std::string rounded_twice(double value, int decimals);

std::string with_thousands(double value);    // "118,687.50"
std::string signed_percent(double percent);  // "+4.66%"

// The shortest text that reads back as the same number, always with a point: "762219.0".
std::string shortest(double value);

}  // namespace strobe::report
