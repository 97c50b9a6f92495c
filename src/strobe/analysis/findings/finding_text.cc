#include "strobe/analysis/findings/finding_text.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>

namespace strobe::analysis {
namespace {

constexpr std::size_t kNameLength = 48;

std::string three_digits(double value) {
  const double size = std::abs(value);
  if (size >= 99.95) return fmt::format("{:.0f}", value);
  if (size >= 9.995) return fmt::format("{:.1f}", value);
  return fmt::format("{:.2f}", value);
}

struct Unit {
  double size;
  std::string_view name;
};

template <std::size_t N>
std::string scaled(double value, const std::array<Unit, N>& units) {
  for (const Unit& unit : units) {
    if (std::abs(value) >= 0.9995 * unit.size) {
      return three_digits(value / unit.size) + " " + std::string(unit.name);
    }
  }
  return fmt::format("{:.0f} {}", value, units.back().name);
}

// "void a::b<4, c>(int)" is "b<...>".
std::string without_templates(const std::string& name) {
  constexpr std::string_view kVoid = "void ";
  const std::size_t begin = name.starts_with(kVoid) ? kVoid.size() : 0;
  const std::size_t open = name.find('<', begin);
  if (open == std::string::npos || open == begin) return name;
  const std::string head = name.substr(begin, open - begin);
  const std::size_t colons = head.rfind("::");
  return (colons == std::string::npos ? head : head.substr(colons + 2)) + "<...>";
}

}  // namespace

std::string time_text(double ns) {
  constexpr std::array<Unit, 4> kUnits = {{{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}}};
  return scaled(ns, kUnits);
}

std::string share_text(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string count_text(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t i = digits.size(); i > 3;) {
    i -= 3;
    digits.insert(i, 1, ',');
  }
  return digits;
}

std::string bytes_text(std::int64_t bytes) {
  constexpr std::array<Unit, 5> kUnits = {{{1024.0 * 1024 * 1024 * 1024, "TiB"},
                                           {1024.0 * 1024 * 1024, "GiB"},
                                           {1024.0 * 1024, "MiB"},
                                           {1024.0, "KiB"},
                                           {1, "B"}}};
  return scaled(static_cast<double>(bytes), kUnits);
}

std::string times_text(double factor) { return fmt::format("{:.1f} times", factor); }

std::string counted(std::uint64_t count, const std::string& noun) {
  return count_text(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string place_text(const std::string& place) {
  constexpr std::string_view kOpen = "Place(";
  if (!place.starts_with(kOpen) || !place.ends_with(')')) return place;
  return place.substr(kOpen.size(), place.size() - kOpen.size() - 1);
}

std::string short_name(const std::string& full_name) {
  if (full_name.size() <= kNameLength) return full_name;
  const std::string name = without_templates(full_name);
  if (name.size() <= kNameLength) return name;
  std::size_t end = kNameLength;
  // Never inside a UTF-8 sequence.
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0u) == 0x80u) --end;
  return name.substr(0, end) + "...";
}

}  // namespace strobe::analysis
