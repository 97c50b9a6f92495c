#include "strobe/base/json_text.h"

#include <cstdint>
#include <cstring>

#include "strobe/base/text.h"

namespace strobe {
namespace {

struct Utf8Sequence {
  std::size_t bytes = 1;  // length of the character, or of the longest valid prefix of one
  bool is_valid = false;
};

// Reads one character that does not start with an ASCII byte. After E0, ED, F0 and F4 the second
// byte has a smaller range: no overlong forms, no surrogates, nothing beyond U+10FFFF.
Utf8Sequence sequence_at(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned lead = byte(0);
  std::size_t length = 0;
  unsigned low = 0x80;
  unsigned high = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  } else {
    return {};
  }
  for (std::size_t at = 1; at < length; ++at) {
    if (at >= text.size() || byte(at) < low || byte(at) > high) return {at, false};
    low = 0x80;
    high = 0xBF;
  }
  return {length, true};
}

// Length of the run of ASCII bytes at the front.
std::size_t ascii_run(std::string_view text) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080u;
  std::size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, 8);
    if ((word & kHighBits) != 0) break;
  }
  while (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80) ++at;
  return at;
}

}  // namespace

void append_utf8(std::uint32_t code_point, std::string& out) {
  const auto push = [&](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code_point < 0x80) {
    push(code_point);
  } else if (code_point < 0x800) {
    push(0xC0 | code_point >> 6);
    push(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    push(0xE0 | code_point >> 12);
    push(0x80 | (code_point >> 6 & 0x3F));
    push(0x80 | (code_point & 0x3F));
  } else {
    push(0xF0 | code_point >> 18);
    push(0x80 | (code_point >> 12 & 0x3F));
    push(0x80 | (code_point >> 6 & 0x3F));
    push(0x80 | (code_point & 0x3F));
  }
}

namespace {

constexpr std::uint32_t kNoUnit = 0xFFFFFFFFu;

// The UTF-16 unit of a `\uXXXX` at the front, or kNoUnit.
std::uint32_t escaped_unit(std::string_view text) {
  if (text.size() < 6 || text[0] != '\\' || text[1] != 'u') return kNoUnit;
  std::uint32_t unit = 0;
  for (const char digit : text.substr(2, 4)) {
    if (!is_hex_digit(digit)) return kNoUnit;
    const int value = is_digit(digit) ? digit - '0' : lower(digit) - 'a' + 10;
    unit = unit << 4 | static_cast<std::uint32_t>(value);
  }
  return unit;
}

bool is_high_surrogate(std::uint32_t unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool is_low_surrogate(std::uint32_t unit) { return unit >= 0xDC00 && unit < 0xE000; }

char simple_escape(char letter) {
  switch (letter) {
    case '"':
    case '\\':
    case '/':
      return letter;
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return '\0';
  }
}

class Unescaper {
 public:
  explicit Unescaper(std::string_view raw) : left_(raw) { out_.reserve(raw.size()); }

  std::string run(bool* repaired) {
    while (!left_.empty()) {
      const auto byte = static_cast<unsigned char>(left_.front());
      if (byte == '\\') {
        take_escape();
      } else if (byte < 0x20) {
        replace(1);
      } else if (byte < 0x80) {
        keep(1);
      } else {
        const Utf8Sequence sequence = sequence_at(left_);
        sequence.is_valid ? keep(sequence.bytes) : replace(sequence.bytes);
      }
    }
    if (repaired_ && repaired != nullptr) *repaired = true;
    return std::move(out_);
  }

 private:
  void keep(std::size_t bytes) {
    out_.append(left_.substr(0, bytes));
    left_.remove_prefix(bytes);
  }

  void replace(std::size_t bytes) {
    out_.append(kReplacement);
    left_.remove_prefix(bytes);
    repaired_ = true;
  }

  void take_escape() {
    const char simple = left_.size() > 1 ? simple_escape(left_[1]) : '\0';
    if (simple != '\0') {
      out_.push_back(simple);
      left_.remove_prefix(2);
      return;
    }
    const std::uint32_t unit = escaped_unit(left_);
    if (unit == kNoUnit) {
      replace(1);  // the backslash alone: what follows it may be the rest of a path
    } else if (is_high_surrogate(unit) && is_low_surrogate(escaped_unit(left_.substr(6)))) {
      const std::uint32_t low = escaped_unit(left_.substr(6));
      append_utf8(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00), out_);
      left_.remove_prefix(12);
    } else if (is_high_surrogate(unit) || is_low_surrogate(unit)) {
      replace(6);
    } else {
      append_utf8(unit, out_);
      left_.remove_prefix(6);
    }
  }

  std::string_view left_;
  std::string out_;
  bool repaired_ = false;
};

}  // namespace

std::string unescape(std::string_view raw, bool* repaired) { return Unescaper(raw).run(repaired); }

bool is_valid_utf8(std::string_view text) {
  while (true) {
    text.remove_prefix(ascii_run(text));
    if (text.empty()) return true;
    const Utf8Sequence sequence = sequence_at(text);
    if (!sequence.is_valid) return false;
    text.remove_prefix(sequence.bytes);
  }
}

std::string sanitize_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (true) {
    const std::size_t plain = ascii_run(text);
    out.append(text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty()) return out;
    const Utf8Sequence sequence = sequence_at(text);
    out.append(sequence.is_valid ? text.substr(0, sequence.bytes) : kReplacement);
    text.remove_prefix(sequence.bytes);
  }
}

}  // namespace strobe
