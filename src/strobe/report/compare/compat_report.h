#pragma once

#include <string>

#include "strobe/compare/compat/compat.h"

namespace strobe::report {

// The older report in Markdown, byte for byte as its readers and their scripts know it.
std::string compat_markdown(const compare::CompatComparison& comparison);

}  // namespace strobe::report
