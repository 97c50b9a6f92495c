#pragma once

#include <string>
#include <string_view>

#include "strobe/base/result.h"

namespace strobe::readers {

// What a file that cannot be a trace seems to be, and what to do with it. `first` are its first
// bytes.
Error explain_not_a_trace(std::string_view first, const std::string& name);

}  // namespace strobe::readers
