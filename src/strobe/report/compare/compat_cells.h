#pragma once

#include <string>

// Numbers as the older report prints them. NaN is "nan" everywhere.
namespace strobe::report {

// Rounded to `decimals`, then to six digits without trailing zeros: "1561.72", "0.1",
// "6.68812e+07",
// "-0".
std::string rounded_twice(double value, int decimals);

std::string with_thousands(double value);    // "118,687.50"
std::string signed_percent(double percent);  // "+4.66%"

// The shortest text that reads back as the same number, always with a point: "762219.0".
std::string shortest(double value);

}  // namespace strobe::report
