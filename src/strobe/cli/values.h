#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "strobe/base/result.h"

// The values of flags, read from what was typed; `flag` (with its dashes) names the culprit.
namespace strobe::cli {

Result<std::int64_t> whole_number(std::string_view flag, std::string_view typed, std::int64_t least,
                                  std::int64_t most = std::numeric_limits<std::int64_t>::max());

}  // namespace strobe::cli
