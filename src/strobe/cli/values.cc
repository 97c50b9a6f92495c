#include "strobe/cli/values.h"

#include <cctype>

#include <fmt/format.h>

#include "strobe/base/whole_number.h"

namespace strobe::cli {
namespace {

Error bad_value(std::string_view flag, std::string what, std::string hint = {}) {
  return {.code = ErrorCode::kBadCommandLine,
          .what = std::move(what),
          .where = std::string(flag),
          .hint = std::move(hint)};
}

}  // namespace

Result<std::int64_t> whole_number(std::string_view flag, std::string_view typed, std::int64_t least,
                                  std::int64_t most) {
  const auto number = parse_whole_number(typed);
  if (!number) return bad_value(flag, fmt::format("'{}' is not a whole number", typed));
  if (*number < least) return bad_value(flag, fmt::format("{} is less than {}", *number, least));
  if (*number > most) return bad_value(flag, fmt::format("{} is more than {}", *number, most));
  return *number;
}

Result<std::int64_t> byte_count(std::string_view flag, std::string_view typed, std::int64_t least) {
  constexpr std::string_view kUnits = "KMGT";
  std::string_view digits = typed;
  for (const std::string_view ending : {"iB", "ib", "B", "b"}) {
    if (!digits.ends_with(ending)) continue;
    digits.remove_suffix(ending.size());
    break;
  }
  int shift = 0;
  if (!digits.empty()) {
    const std::size_t unit = kUnits.find(static_cast<char>(std::toupper(digits.back())));
    if (unit != std::string_view::npos) {
      shift = 10 * static_cast<int>(unit + 1);
      digits.remove_suffix(1);
    }
  }
  const auto number = parse_whole_number(digits);
  if (!number || *number < 0 || *number > (std::numeric_limits<std::int64_t>::max() >> shift)) {
    return bad_value(flag, fmt::format("'{}' is not an amount of memory", typed),
                     "write it as 512M or 8G");
  }
  const std::int64_t bytes = *number << shift;
  if (bytes >= least) return bytes;
  return bad_value(flag, fmt::format("{} is too little; {}M is the least", typed, least >> 20));
}

}  // namespace strobe::cli
