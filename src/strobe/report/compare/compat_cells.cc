#include "strobe/report/compare/compat_cells.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstddef>

namespace strobe::report {

std::string rounded_twice(double value, int decimals) {
  if (std::isnan(value)) return "nan";
  const std::string fixed = fmt::format("{:.{}f}", value, decimals);
  double rounded = value;  // stays what it is where it is infinite
  std::from_chars(fixed.data(), fixed.data() + fixed.size(), rounded);
  return fmt::format("{:g}", rounded);
}

std::string with_thousands(double value) {
  if (std::isnan(value)) return "nan";
  std::string text = fmt::format("{:.2f}", value);
  if (std::isinf(value)) return text;
  const std::size_t first_digit = std::signbit(value) ? 1 : 0;
  for (std::size_t at = text.find('.'); at > first_digit + 3;) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

std::string signed_percent(double percent) {
  return std::isnan(percent) ? "nan" : fmt::format("{:+.2f}%", percent);
}

std::string shortest(double value) {
  if (std::isnan(value)) return "nan";
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

}  // namespace strobe::report
