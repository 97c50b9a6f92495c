#pragma once

#include <string>
#include <string_view>

#include "strobe/base/result.h"

namespace strobe::cli {

// `answer`, the JSON of a view that has rows by device, with those of one device only.
Result<std::string> rows_of_device(std::string_view answer, const std::string& device);

}  // namespace strobe::cli
