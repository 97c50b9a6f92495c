#include "strobe/writers/json_copy.h"

#include <bit>
#include <cstdint>
#include <cstring>

#include "strobe/base/json_text.h"
#include "strobe/base/json_value.h"
#include "strobe/base/json_write.h"
#include "strobe/base/text.h"

namespace strobe::writers {
namespace {

static_assert(std::endian::native == std::endian::little, "the first byte of a word is its lowest");

constexpr std::uint64_t kOnes = 0x0101010101010101u;
constexpr std::uint64_t kHighBits = 0x8080808080808080u;

// The high bit of each zero byte; bytes above the first one may be marked wrongly.
constexpr std::uint64_t zero_bytes(std::uint64_t word) {
  return (word - kOnes) & ~word & kHighBits;
}

// The high bit of each byte that ends a run of plain characters: a quote, a backslash, a control
// character or a byte beyond ASCII. Exact up to the first of them.
constexpr std::uint64_t stop_bytes(std::uint64_t word) {
  const std::uint64_t below_blank = (word - kOnes * 0x20) & ~word;
  return zero_bytes(word ^ (kOnes * '"')) | zero_bytes(word ^ (kOnes * '\\')) |
         ((below_blank | word) & kHighBits);
}

unsigned argument_of(std::string_view key) {
  switch (key.size()) {
    case 6:
      if (key == "device") return kDeviceArgument;
      return key == "stream" ? kStreamArgument : kNoArguments;
    case 11:
      if (key == "correlation") return kCorrelationArgument;
      return key == "External id" || key == "external id" ? kExternalArgument : kNoArguments;
    case 14:
      return key == "correlation id" ? kCorrelationArgument : kNoArguments;
    case 15:
      return key == "Sequence number" ? kSequenceArgument : kNoArguments;
    default:
      return kNoArguments;
  }
}

// Every method returns false where the text stops being JSON.
class ObjectCopy {
 public:
  ObjectCopy(std::string_view json, char* to)
      : from_(json.data()), end_(json.data() + json.size()), to_(to) {}

  CopiedObject run(std::string_view json) {
    skip_blanks();
    if (at() != '{' || !values()) return {};
    skip_blanks();
    if (from_ != end_) return {};
    if (is_beyond_ascii_ && !is_valid_utf8(json)) return {};
    return {to_, arguments_};
  }

 private:
  static constexpr unsigned kDeepestLevel = 64;

  char at() const { return from_ < end_ ? *from_ : '\0'; }

  void skip_blanks() {
    while (from_ < end_ && is_space(*from_)) ++from_;
  }

  void copy_one() { *to_++ = *from_++; }

  // The value that begins here, with everything inside.
  bool values() {
    for (;;) {
      skip_blanks();
      const bool opens = at() == '{' || at() == '[';
      if (opens ? !open() : !scalar()) return false;
      // Now after a value, or after an opening bracket with something inside.
      if (opens && !has_closed_) continue;
      while (depth_ > 0) {
        skip_blanks();
        if (at() == ',') {
          copy_one();
          if (is_object() && !key()) return false;
          break;
        }
        if (!close()) return false;
      }
      if (depth_ == 0) return true;
    }
  }

  bool is_object() const { return ((objects_ >> (depth_ - 1)) & 1) != 0; }

  // After it the first value of the object or array comes next, unless it has closed again.
  bool open() {
    if (depth_ == kDeepestLevel) return false;
    const bool opens_object = at() == '{';
    copy_one();
    objects_ = (objects_ & ~(std::uint64_t{1} << depth_)) |
               (static_cast<std::uint64_t>(opens_object) << depth_);
    ++depth_;
    skip_blanks();
    has_closed_ = at() == (opens_object ? '}' : ']');
    if (has_closed_) return close();
    return !opens_object || key();
  }

  bool close() {
    if (at() != (is_object() ? '}' : ']')) return false;
    copy_one();
    --depth_;
    return true;
  }

  bool key() {
    skip_blanks();
    if (at() != '"') return false;
    const char* const begin = to_ + 1;
    if (!string()) return false;
    if (depth_ == 1) {
      arguments_ |= argument_of({begin, static_cast<std::size_t>(to_ - 1 - begin)});
    }
    skip_blanks();
    if (at() != ':') return false;
    copy_one();
    return true;
  }

  bool scalar() {
    switch (at()) {
      case '"':
        return string();
      case 't':
        return word("true");
      case 'f':
        return word("false");
      case 'n':
        return word("null");
      default:
        return number();
    }
  }

  bool word(std::string_view text) {
    if (static_cast<std::size_t>(end_ - from_) < text.size() ||
        std::memcmp(from_, text.data(), text.size()) != 0) {
      return false;
    }
    std::memcpy(to_, text.data(), text.size());
    from_ += text.size();
    to_ += text.size();
    return true;
  }

  bool digits() {
    const char* const begin = from_;
    while (is_digit(at())) copy_one();
    return from_ != begin;
  }

  bool number() {
    if (at() == '-') copy_one();
    const bool is_zero = at() == '0';
    const char* const whole = from_;
    if (!digits() || (is_zero && from_ != whole + 1)) return false;
    if (at() == '.') {
      copy_one();
      if (!digits()) return false;
    }
    if (at() == 'e' || at() == 'E') {
      copy_one();
      if (at() == '+' || at() == '-') copy_one();
      if (!digits()) return false;
    }
    return true;
  }

  bool string() {
    copy_one();
    for (;;) {
      copy_plain();
      const char stop = at();
      if (stop == '"') {
        copy_one();
        return true;
      }
      if (stop == '\\') {
        if (!escape()) return false;
      } else if (static_cast<unsigned char>(stop) < 0x20) {
        return false;  // also at the end of the text
      } else {
        is_beyond_ascii_ = is_beyond_ascii_ || static_cast<unsigned char>(stop) >= 0x80;
        copy_one();
      }
    }
  }

  // PERF: eight characters at once. Writes up to seven bytes too many, which the next ones cover.
  void copy_plain() {
    while (end_ - from_ >= 8) {
      std::uint64_t characters = 0;
      std::memcpy(&characters, from_, 8);
      std::memcpy(to_, &characters, 8);
      const std::uint64_t stops = stop_bytes(characters);
      const auto plain = stops == 0 ? 8 : std::countr_zero(stops) / 8;
      from_ += plain;
      to_ += plain;
      if (stops != 0) return;
    }
  }

  bool escape() {
    if (end_ - from_ < 2) return false;
    const char letter = from_[1];
    if (letter == 'u') {
      if (end_ - from_ < 6) return false;
      for (int i = 2; i < 6; ++i) {
        if (!is_hex_digit(from_[i])) return false;
      }
    } else if (letter == '\0' || std::strchr("\"\\/bfnrt", letter) == nullptr) {
      return false;
    }
    copy_one();
    copy_one();
    return true;
  }

  const char* from_;
  const char* end_;
  char* to_;
  unsigned depth_ = 0;
  std::uint64_t objects_ = 0;  // bit N: the bracket that N others are around is an object's
  bool has_closed_ = false;
  bool is_beyond_ascii_ = false;
  unsigned arguments_ = kNoArguments;
};

}  // namespace

CopiedObject copy_object(std::string_view json, char* to) { return ObjectCopy(json, to).run(json); }

std::string repaired_object(std::string_view json) {
  const JsonValue value = parse_value(json);
  if (value.type != JsonType::kObject) return "{}";
  std::string text;
  JsonWriter writer(text);
  copy_json(value, writer);
  return text;
}

}  // namespace strobe::writers
