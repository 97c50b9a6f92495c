#pragma once

#include <string_view>

#include "strobe/base/result.h"

namespace strobe::readers {

// What a file without a table of kernels seems to be, and what to do with it. `first` are its
// first bytes. `where` stays empty.
Error explain_not_kernels(std::string_view first);

}  // namespace strobe::readers
