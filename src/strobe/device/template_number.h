#pragma once

#include <string_view>

namespace strobe::device {

// The digits of a number among template arguments: "4" in `4`, `(int)4`, `4ul` and `(ns::Order)4`,
// "-2" in `-2`. Truth is "1" and "0", as some tools write it. Empty for anything else.
std::string_view template_number(std::string_view argument);

}  // namespace strobe::device
