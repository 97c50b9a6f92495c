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

// 0.9 and 90% are the same; more than nothing, at most `most`.
Result<double> fraction(std::string_view flag, std::string_view typed, double most = 1);

// 4.3TB/s, 4300 GB/s, 4.3e12: bytes in a second, powers of 1000.
Result<double> byte_rate(std::string_view flag, std::string_view typed);
// 790TFLOP/s, 0.79 PFLOPS, 790T.
Result<double> flop_rate(std::string_view flag, std::string_view typed);

}  // namespace strobe::cli
