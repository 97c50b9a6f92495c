#pragma once

#include <string>

#include "strobe/base/text.h"

// Numbers as a sentence wants them: three digits that matter, and their unit.
namespace strobe::analysis {

std::string time_text(double ns);                  // "942 ms", "1.86 us"
std::string share_text(double share);              // "9.6 %"
std::string times_text(double factor);             // "1.8 times"
std::string place_text(const std::string& place);  // "gpu:0" of "Place(gpu:0)"

// A name that fits into a sentence: a long one of code loses its namespaces and what stands in
// angle brackets before it is cut.
std::string short_name(const std::string& name);

}  // namespace strobe::analysis
