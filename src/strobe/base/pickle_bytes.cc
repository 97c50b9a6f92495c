#include "strobe/base/pickle_bytes.h"

#include <charconv>
#include <system_error>

#include "strobe/base/json_text.h"

namespace strobe {
namespace {

std::optional<std::uint32_t> hex(std::string_view text, std::size_t at, std::size_t digits) {
  if (at + digits > text.size()) return std::nullopt;
  std::uint32_t value = 0;
  const char* const end = text.data() + at + digits;
  const auto [stop, error] = std::from_chars(text.data() + at, end, value, 16);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

}  // namespace

std::string unquoted(std::string_view literal) {
  if (literal.size() >= 2 && (literal[0] == '\'' || literal[0] == '"') &&
      literal.back() == literal[0]) {
    literal = literal.substr(1, literal.size() - 2);
  }
  std::string text;
  for (std::size_t i = 0; i < literal.size(); ++i) {
    if (literal[i] != '\\' || i + 1 == literal.size()) {
      text += literal[i];
      continue;
    }
    const char next = literal[++i];
    const auto byte = next == 'x' ? hex(literal, i + 1, 2) : std::nullopt;
    if (byte) i += 2;
    text += byte          ? static_cast<char>(*byte)
            : next == 'n' ? '\n'
            : next == 't' ? '\t'
            : next == 'r' ? '\r'
                          : next;
  }
  return text;
}

std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    const std::size_t digits = text[i] != '\\' ? 0 : next == 'u' ? 4 : next == 'U' ? 8 : 0;
    const auto point = digits > 0 ? hex(text, i + 2, digits) : std::nullopt;
    append_utf8(point.value_or(static_cast<unsigned char>(text[i])), out);
    if (point) i += 1 + digits;
  }
  return out;
}

}  // namespace strobe
