#include "strobe/agents/page_links.h"

#include <algorithm>

#include <fmt/format.h>

#include "strobe/base/text.h"

namespace strobe::agents {
namespace {

// As the page writes its own addresses: readable as far as the standard allows.
std::string escaped(std::string_view text) {
  constexpr std::string_view kPlain = "-_.!~*'()/:,@$;=";
  std::string out;
  for (const char c : text) {
    if (is_letter_or_digit(c) || kPlain.find(c) != std::string_view::npos) {
      out += c;
    } else if (c == ' ') {
      out += '+';
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

constexpr std::size_t kMostTraces = 16;  // more would be longer than the answer

std::pair<std::string_view, std::string> part(std::string_view name, std::int64_t value) {
  return {name, fmt::format("{}", value)};
}

}  // namespace

std::string page_address(std::string_view page, std::string_view screen,
                         const std::vector<std::string>& traces,
                         const std::vector<std::pair<std::string_view, std::string>>& parameters) {
  std::string address = fmt::format("{}#/{}", page, screen);
  char separator = '?';
  const auto add = [&](std::string_view name, std::string_view value) {
    address += fmt::format("{}{}={}", separator, name, escaped(value));
    separator = '&';
  };
  if (traces.size() > kMostTraces) return fmt::format("{}#/runs", page);
  for (const std::string& trace : traces) add("trace", trace);
  for (const auto& [name, value] : parameters) add(name, value);
  return address;
}

Link timeline_link(std::string_view page, std::string what, const std::string& trace,
                   std::int64_t start_ns, std::int64_t length_ns) {
  constexpr std::int64_t kRoom = 20;  // a twentieth at each side
  const std::int64_t room = std::max<std::int64_t>(length_ns / kRoom, 1);
  return {std::move(what),
          page_address(page, "timeline", {trace},
                       {part("from", start_ns - room), part("to", start_ns + length_ns + room)})};
}

Link slice_link(std::string_view page, std::string what, const std::string& trace,
                std::int64_t slice, std::int64_t start_ns, std::int64_t length_ns) {
  constexpr std::int64_t kAround = 5;  // slices of its length fit on each side
  const std::int64_t around = std::max<std::int64_t>(length_ns, 100) * kAround;
  return {std::move(what), page_address(page, "timeline", {trace},
                                        {part("slice", slice), part("from", start_ns - around),
                                         part("to", start_ns + length_ns + around)})};
}

}  // namespace strobe::agents
