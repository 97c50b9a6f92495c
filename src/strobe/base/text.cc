#include "strobe/base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "strobe/base/json_text.h"

namespace strobe {
namespace {

constexpr std::string_view kSpaces = " \t\r\n";

template <class Number>
std::optional<Number> parse_all(std::string_view text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string printed(const char* format, int digits, double value) {
  std::array<char, 400> text;  // holds the largest double with its decimals
  std::snprintf(text.data(), text.size(), format, digits, value);
  return text.data();
}

struct Unit {
  double size;
  const char* name;
};

constexpr std::array kTimeUnits = {Unit{1, "ns"}, Unit{1e3, "us"}, Unit{1e6, "ms"}, Unit{1e9, "s"}};
constexpr std::array kByteUnits = {Unit{1, "B"}, Unit{1024.0, "KiB"}, Unit{1048576.0, "MiB"},
                                   Unit{1073741824.0, "GiB"}, Unit{1099511627776.0, "TiB"}};

// The largest unit in which the rounded value is at least one, so that 999.6 us is 1.00 ms.
template <std::size_t N>
std::string with_unit(double amount, const std::array<Unit, N>& units, double step_at) {
  const double size = std::abs(amount);
  const std::string sign = amount < 0 ? "-" : "";
  std::size_t unit = 0;
  while (unit + 1 < N && size / units[unit].size >= step_at) ++unit;
  if (unit == 0) return sign + printed("%.*f ", 0, size) + units[0].name;
  return sign + three_digits(size / units[unit].size) + " " + units[unit].name;
}

}  // namespace

std::string lower_case(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), lower);
  return out;
}

std::size_t code_points(std::string_view utf8) {
  return static_cast<std::size_t>(
      std::ranges::count_if(utf8, [](char c) { return !is_continuation(c); }));
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kSpaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

std::string_view take_line(std::string_view& left) {
  const std::size_t end = std::min(left.find('\n'), left.size());
  std::string_view line = left.substr(0, end);
  left.remove_prefix(std::min(end + 1, left.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string_view prefix_of(std::string_view text, std::size_t most_bytes) {
  if (text.size() <= most_bytes) return text;
  constexpr std::size_t kMostContinuations = 3;  // of one character
  std::size_t end = most_bytes;
  while (end > 0 && most_bytes - end < kMostContinuations && is_continuation(text[end])) --end;
  return text.substr(0, is_continuation(text[end]) ? most_bytes : end);  // if more: not UTF-8
}

std::string excerpt(std::string_view text, std::size_t most_bytes) {
  std::string out = sanitize_utf8(prefix_of(text, most_bytes));
  std::ranges::replace_if(
      out, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  if (text.size() > most_bytes) out += "...";
  return out;
}

std::optional<std::int64_t> parse_whole_number(std::string_view text) {
  return parse_all<std::int64_t>(text);
}

std::optional<double> parse_number(std::string_view text) {
  const std::optional<double> number = parse_all<double>(text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

std::string with_commas(std::string number) {
  const std::size_t first = number.starts_with('-') ? 1 : 0;
  std::size_t i = std::min(number.find('.'), number.size());
  for (; i > first + 3; i -= 3) number.insert(i - 3, ",");
  return number;
}

std::string count_text(std::uint64_t count) { return with_commas(std::to_string(count)); }

std::string counted(std::uint64_t count, std::string_view noun) {
  return count_text(count).append(" ").append(noun).append(plural(count, "", "s"));
}

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return count_text(count).append(" ").append(plural(count, one, many));
}

std::string three_digits(double value) {
  const double size = std::abs(value);
  if (size >= 999.5) {
    return (value < 0 ? "-" : "") + count_text(static_cast<std::uint64_t>(std::llround(size)));
  }
  return printed("%.*f", size < 9.995 ? 2 : size < 99.95 ? 1 : 0, value);
}

std::string duration_text(std::int64_t duration_ns) {
  return with_unit(static_cast<double>(duration_ns), kTimeUnits, 999.5);
}

std::string mean_duration_text(double ns) {
  const bool has_no_fractions = std::abs(ns) < 0.9995 || std::abs(ns) >= 999.5;
  return has_no_fractions ? with_unit(ns, kTimeUnits, 999.5) : three_digits(ns) + " ns";
}

std::string bytes_text(std::int64_t bytes) {
  return with_unit(static_cast<double>(bytes), kByteUnits, 1023.5);
}

std::string decimal_bytes_text(double bytes) {
  constexpr std::array kUnits = {"B", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  for (; bytes >= 1000 && unit + 1 < kUnits.size(); ++unit) bytes /= 1000;
  return printed("%.*f ", unit == 0 ? 0 : 1, bytes) + kUnits[unit];
}

std::string percent_text(double share) {
  const auto permille = static_cast<std::int64_t>(std::llround(share * 1000));
  if (permille == 0 && share > 0) return "<0.1 %";
  if (permille == 0 && share < 0) return ">-0.1 %";
  return permille_text(permille);
}

std::string permille_text(std::int64_t permille) {
  const std::string sign = permille < 0 ? "-" : "";
  const auto size = static_cast<std::uint64_t>(permille < 0 ? -permille : permille);
  return sign + count_text(size / 10) + "." + std::to_string(size % 10) + " %";
}

double rounded(double value, int decimals) {
  return std::strtod(printed("%.*f", decimals, value).c_str(), nullptr);
}

double rounded_to_digits(double value, int digits) {
  return std::strtod(printed("%.*g", digits, value).c_str(), nullptr);
}

}  // namespace strobe
