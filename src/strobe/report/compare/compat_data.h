#pragma once

#include <string>

#include "strobe/compare/compat/compat.h"

// The numbers of the older report for programs, at full precision. What is no number is the text
// "nan".
namespace strobe::report {

// {"cycles": {"normal": [us, ...], "abnormal": [...]}, "rows": [{...}, ...]}
std::string compat_json(const compare::CompatComparison& comparison);

// The rows, with the keys of the JSON as header.
std::string compat_csv(const compare::CompatComparison& comparison);

}  // namespace strobe::report
