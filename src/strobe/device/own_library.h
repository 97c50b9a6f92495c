#pragma once

#include <filesystem>
#include <string_view>

#include "strobe/base/result.h"

namespace strobe::device {

// A library that is built with strobe and opened at run time: what the variable names, beside
// strobe, or in ../lib/strobe. kMachineLacks if it is not there; `built_where` says what it needs.
Result<std::filesystem::path> find_own_library(std::string_view file_name, const char* variable,
                                               std::string_view built_where);

}  // namespace strobe::device
