#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "strobe/base/result.h"

// The values of flags, read from what was typed; `flag` (with its dashes) names the culprit.
namespace strobe::cli {

Result<std::int64_t> whole_number(std::string_view flag, std::string_view typed, std::int64_t least,
                                  std::int64_t most = std::numeric_limits<std::int64_t>::max());

// 8G, 512M, 64MiB, 1000000: powers of 1024.
Result<std::int64_t> byte_count(std::string_view flag, std::string_view typed, std::int64_t least);

}  // namespace strobe::cli
