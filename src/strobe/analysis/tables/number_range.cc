#include "strobe/analysis/tables/number_range.h"

#include <string>

#include <fmt/format.h>

#include "strobe/base/text.h"

namespace strobe::analysis {
namespace {

Error bad_value(std::string_view where, std::string what, std::string hint) {
  return {.code = ErrorCode::kInvalidArgument,
          .what = std::move(what),
          .where = std::string(where),
          .hint = std::move(hint)};
}

}  // namespace

Result<NumberRange> number_range(std::string_view where, std::string_view typed) {
  const std::string hint = "write A:B, A:, :B or A, such as 10:20";
  const std::size_t colon = typed.find(':');
  const std::string_view first = typed.substr(0, colon);
  const std::string_view last = colon == std::string_view::npos ? first : typed.substr(colon + 1);
  NumberRange range;
  if (!first.empty()) {
    const auto number = parse_whole_number(first);
    if (!number || *number < 0) {
      return bad_value(where, fmt::format("'{}' is not a number of a step", first), hint);
    }
    range.first = *number;
  }
  if (!last.empty()) {
    const auto number = parse_whole_number(last);
    if (!number || *number < 0) {
      return bad_value(where, fmt::format("'{}' is not a number of a step", last), hint);
    }
    range.last = *number;
  }
  if (first.empty() && last.empty()) {
    return bad_value(where, fmt::format("'{}' names no step", typed), hint);
  }
  if (range.first > range.last) {
    return bad_value(
        where, fmt::format("'{}' is empty: {} comes after {}", typed, range.first, range.last),
        fmt::format("did you mean {}:{}?", range.last, range.first));
  }
  return range;
}

}  // namespace strobe::analysis
