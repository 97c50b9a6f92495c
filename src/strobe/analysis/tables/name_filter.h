#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "strobe/base/result.h"

namespace strobe::analysis {

using NameFilter = std::function<bool(std::string_view)>;

// True for the names in which the regular expression (RE2) is found; `where` names the flag or
// parameter in errors.
Result<NameFilter> name_filter(std::string_view where, const std::string& pattern);

// True for the names that contain the text; letter case does not count.
NameFilter name_contains(const std::string& text);

}  // namespace strobe::analysis
