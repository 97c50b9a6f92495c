#include "strobe/serve/query.h"

#include <charconv>

#include <fmt/format.h>

#include "strobe/base/text.h"

namespace strobe::serve {
namespace {

Error complaint(std::string_view name, std::string what, std::string hint = "see docs/api.md") {
  return {.code = ErrorCode::kInvalidArgument,
          .what = std::move(what),
          .where = std::string(name),
          .hint = std::move(hint)};
}

}  // namespace

Result<std::string> Query::text(std::string_view name) const {
  auto found = optional_text(name);
  if (found) return std::move(*found);
  return complaint(name, fmt::format("the parameter '{}' is missing", name));
}

std::optional<std::string> Query::optional_text(std::string_view name) const {
  const auto found = parameters_.find(name);
  if (found == parameters_.end()) return std::nullopt;
  return found->second;
}

std::vector<std::string> Query::texts(std::string_view name) const {
  std::vector<std::string> all;
  const auto [first, last] = parameters_.equal_range(name);
  for (auto it = first; it != last; ++it) all.push_back(it->second);
  return all;
}

Result<std::int64_t> Query::integer(std::string_view name, std::int64_t least,
                                    std::int64_t most) const {
  STROBE_TRY(const std::string given, text(name));
  const auto number = parse_whole_number(given);
  if (number && *number >= least && *number <= most) return *number;
  return complaint(name, fmt::format("'{}' must be a whole number from {} to {}, not '{}'", name,
                                     least, most, given));
}

Result<std::int64_t> Query::integer_or(std::string_view name, std::int64_t fallback,
                                       std::int64_t least, std::int64_t most) const {
  if (!optional_text(name)) return fallback;
  return integer(name, least, most);
}

Result<std::optional<double>> Query::number(std::string_view name, double least,
                                            double most) const {
  const auto given = optional_text(name);
  if (!given) return std::optional<double>();
  double value = 0;
  const char* const past = given->data() + given->size();
  const auto [end, error] = std::from_chars(given->data(), past, value);
  const bool is_number = error == std::errc{} && end == past;
  if (is_number && value > least && value <= most) return std::optional(value);
  return complaint(name, fmt::format("'{}' must be a number above {} and up to {}, not '{}'", name,
                                     least, most, given->substr(0, 100)));
}

Result<std::optional<std::vector<std::int64_t>>> Query::integers(std::string_view name) const {
  const auto given = optional_text(name);
  if (!given) return std::optional<std::vector<std::int64_t>>();
  std::vector<std::int64_t> numbers;
  std::string_view rest = *given;
  while (true) {
    const std::size_t comma = rest.find(',');
    const auto number = parse_whole_number(rest.substr(0, comma));
    if (!number) {
      return complaint(name, fmt::format("'{}' must be whole numbers with commas, not '{}'", name,
                                         given->substr(0, 100)));
    }
    numbers.push_back(*number);
    if (comma == std::string_view::npos) return std::optional(std::move(numbers));
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace strobe::serve
