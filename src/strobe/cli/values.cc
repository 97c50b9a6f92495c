#include "strobe/cli/values.h"

#include <charconv>
#include <optional>

#include <fmt/format.h>

namespace strobe::cli {
namespace {

Error bad_value(std::string_view flag, std::string what, std::string hint = {}) {
  return {.code = ErrorCode::kBadCommandLine,
          .what = std::move(what),
          .where = std::string(flag),
          .hint = std::move(hint)};
}

std::optional<std::int64_t> parsed(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

Result<std::int64_t> whole_number(std::string_view flag, std::string_view typed, std::int64_t least,
                                  std::int64_t most) {
  const auto number = parsed(typed);
  if (!number) return bad_value(flag, fmt::format("'{}' is not a whole number", typed));
  if (*number < least) return bad_value(flag, fmt::format("{} is less than {}", *number, least));
  if (*number > most) return bad_value(flag, fmt::format("{} is more than {}", *number, most));
  return *number;
}

}  // namespace strobe::cli
