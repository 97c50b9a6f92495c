#pragma once

#include <filesystem>
#include <string>

#include "strobe/base/result.h"

namespace strobe::record {

// libstrobe_inject.so: STROBE_INJECT, beside strobe, or in ../lib/strobe. kMachineLacks if it is
// not found.
Result<std::filesystem::path> find_injection_library();

// The counter library installed with the Python of `program`, "" if it is not a Python or has none.
// The injected library finds any other one itself.
std::string find_python_cupti(const std::string& program);

}  // namespace strobe::record
