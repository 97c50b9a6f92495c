#include "strobe/analysis/findings/finding_text.h"

#include <fmt/format.h>

#include <string_view>

namespace strobe::analysis {
namespace {

constexpr std::size_t kNameLength = 48;

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

std::string time_text(double ns) { return mean_duration_text(ns); }

std::string share_text(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string times_text(double factor) { return fmt::format("{:.1f} times", factor); }

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
