#pragma once

#include <filesystem>
#include <string>

#include "strobe/base/result.h"

namespace strobe::record {

// libstrobe_inject.so: STROBE_INJECT, beside strobe, or in ../lib/strobe. kMachineLacks if it is
// nowhere.
Result<std::filesystem::path> find_injection_library();

// The counter library that came with the Python of `program`, "" if it is not a Python or has none.
// Anything else is found by the injected library itself.
std::string find_python_cupti(const std::string& program);

}  // namespace strobe::record
