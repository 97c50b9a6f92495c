#include "strobe/cli/values.h"

#include <cctype>
#include <charconv>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <re2/re2.h>

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

// RE2 names the offending piece; where it stands in the pattern says more. The whole pattern as
// culprit means that its end is where something is missing.
std::string explanation(const re2::RE2& expression) {
  const std::string& pattern = expression.pattern();
  const std::string& culprit = expression.error_arg();
  const std::size_t colon = expression.error().find(':');
  const std::string what = expression.error().substr(0, colon);
  const std::size_t at = culprit.empty() ? std::string::npos : pattern.find(culprit);
  if (at == std::string::npos || culprit == pattern)
    return fmt::format("{} in '{}'", what, pattern);
  return fmt::format("{} at character {} of '{}': '{}'", what, at + 1, pattern, culprit);
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
  const auto number = parsed(digits);
  if (!number || *number < 0 || *number > (std::numeric_limits<std::int64_t>::max() >> shift)) {
    return bad_value(flag, fmt::format("'{}' is not an amount of memory", typed),
                     "write it as 512M or 8G");
  }
  const std::int64_t bytes = *number << shift;
  if (bytes >= least) return bytes;
  return bad_value(flag, fmt::format("{} is too little; {}M is the least", typed, least >> 20));
}

Result<NumberRange> number_range(std::string_view flag, std::string_view typed) {
  const std::string hint = "write A:B, A:, :B or A, such as 10:20";
  const std::size_t colon = typed.find(':');
  const std::string_view first = typed.substr(0, colon);
  const std::string_view last = colon == std::string_view::npos ? first : typed.substr(colon + 1);
  NumberRange range;
  if (!first.empty()) {
    const auto number = parsed(first);
    if (!number || *number < 0) {
      return bad_value(flag, fmt::format("'{}' is not a number of a step", first), hint);
    }
    range.first = *number;
  }
  if (!last.empty()) {
    const auto number = parsed(last);
    if (!number || *number < 0) {
      return bad_value(flag, fmt::format("'{}' is not a number of a step", last), hint);
    }
    range.last = *number;
  }
  if (first.empty() && last.empty()) {
    return bad_value(flag, fmt::format("'{}' names no step", typed), hint);
  }
  if (range.first > range.last) {
    return bad_value(
        flag, fmt::format("'{}' is empty: {} comes after {}", typed, range.first, range.last),
        fmt::format("did you mean {}:{}?", range.last, range.first));
  }
  return range;
}

Result<NameFilter> name_filter(std::string_view flag, const std::string& pattern) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  const auto expression = std::make_shared<re2::RE2>(pattern, options);
  if (!expression->ok()) {
    return bad_value(flag, explanation(*expression),
                     "a backslash makes ( ) [ ] { } . * + ? | ordinary: 'gemm\\('");
  }
  return NameFilter([expression](std::string_view name) {
    return re2::RE2::PartialMatch(re2::StringPiece(name.data(), name.size()), *expression);
  });
}

}  // namespace strobe::cli
