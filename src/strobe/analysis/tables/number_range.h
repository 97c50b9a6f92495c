#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "strobe/base/result.h"

namespace strobe::analysis {

// Numbers of steps. Both ends belong to it; an end left open is as far as it goes.
struct NumberRange {
  std::int64_t first = 0;
  std::int64_t last = std::numeric_limits<std::int64_t>::max();
  bool operator==(const NumberRange&) const = default;
};

// A:B, A:, :B, or A alone; `where` names the flag or parameter in errors.
Result<NumberRange> number_range(std::string_view where, std::string_view typed);

}  // namespace strobe::analysis
