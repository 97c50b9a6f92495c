#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>

#include "strobe/base/result.h"

// The values of flags, read from what was typed; `flag` (with its dashes) names the culprit.
namespace strobe::cli {

Result<std::int64_t> whole_number(std::string_view flag, std::string_view typed, std::int64_t least,
                                  std::int64_t most = std::numeric_limits<std::int64_t>::max());

// 8G, 512M, 64MiB, 1000000: powers of 1024.
Result<std::int64_t> byte_count(std::string_view flag, std::string_view typed, std::int64_t least);

// Both ends belong to it; an end left open is as far as it goes.
struct NumberRange {
  std::int64_t first = 0;
  std::int64_t last = std::numeric_limits<std::int64_t>::max();
  bool operator==(const NumberRange&) const = default;
};
// A:B, A:, :B, or A alone.
Result<NumberRange> number_range(std::string_view flag, std::string_view typed);

// True for the names in which the regular expression (RE2) is found.
using NameFilter = std::function<bool(std::string_view)>;
Result<NameFilter> name_filter(std::string_view flag, const std::string& pattern);

}  // namespace strobe::cli
