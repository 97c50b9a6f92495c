#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace strobe {

// The number that the whole text is; nothing if any of it is something else, or too large.
inline std::optional<std::int64_t> parse_whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace strobe
