#include "strobe/base/json_cursor.h"

#include <cstdint>
#include <cstring>

#include "strobe/base/text.h"

namespace strobe {
namespace {

constexpr std::uint64_t repeated(std::uint64_t byte) { return byte * 0x0101010101010101; }

// Marks bytes of `word` that are 0; a byte above a marked one may be a false positive.
constexpr std::uint64_t zero_bytes(std::uint64_t word) {
  return (word - repeated(0x01)) & ~word & repeated(0x80);
}

// The first quote or backslash, or `end`.
const char* find_string_stop(const char* at, const char* end) {
  while (end - at >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof(word));
    if ((zero_bytes(word ^ repeated('"')) | zero_bytes(word ^ repeated('\\'))) != 0) break;
    at += 8;
  }
  while (at != end && *at != '"' && *at != '\\') ++at;
  return at;
}

}  // namespace

bool JsonCursor::fail() {
  if (!failed_) failed_at_ = at_;
  failed_ = true;
  at_ = end_;
  return false;
}

void JsonCursor::skip_blanks() {
  while (at_ != end_ && is_space(*at_)) ++at_;
}

bool JsonCursor::at_end() {
  skip_blanks();
  return at_ == end_;
}

JsonType JsonCursor::peek() {
  if (at_end()) return JsonType::kAbsent;
  switch (*at_) {
    case '{':
      return JsonType::kObject;
    case '[':
      return JsonType::kArray;
    case '"':
      return JsonType::kString;
    case 'n':
      return JsonType::kNull;
    case 't':
    case 'f':
      return JsonType::kBool;
    default:
      return JsonType::kNumber;
  }
}

bool JsonCursor::begin(char bracket) {
  if (at_end() || *at_ != bracket) return false;
  ++at_;
  is_first_ = true;
  return true;
}

bool JsonCursor::begin_object() { return begin('{'); }
bool JsonCursor::begin_array() { return begin('['); }

bool JsonCursor::next_item(char close) {
  if (failed_) return false;
  if (at_end()) return fail();
  const bool is_first = is_first_;
  is_first_ = false;
  if (*at_ == close) {
    ++at_;
    return false;
  }
  if (is_first) return true;
  if (*at_ != ',') return fail();
  ++at_;
  return true;
}

bool JsonCursor::next_element() { return next_item(']'); }

bool JsonCursor::next_member(std::string_view& raw_key) {
  return next_item('}') && read_key(raw_key);
}

bool JsonCursor::read_key(std::string_view& raw_key) {
  if (at_end() || *at_ != '"' || !skip_string(raw_key)) return fail();
  if (at_end() || *at_ != ':') return fail();
  ++at_;
  return true;
}

bool JsonCursor::skip_escape() {
  ++at_;
  if (at_ == end_) return false;
  if (*at_ == 'u') {
    if (end_ - at_ < 5) return false;
    for (int i = 1; i <= 4; ++i) {
      if (!is_hex_digit(at_[i])) return false;
    }
    at_ += 5;
    return true;
  }
  return std::string_view("\"\\/bfnrt").find(*at_++) != std::string_view::npos;
}

bool JsonCursor::skip_string(std::string_view& inside) {
  const char* const first = ++at_;
  while (true) {
    at_ = find_string_stop(at_, end_);
    if (at_ == end_) return fail();
    if (*at_ == '"') break;
    if (!skip_escape()) return fail();
  }
  inside = {first, static_cast<std::size_t>(at_ - first)};
  ++at_;
  return true;
}

bool JsonCursor::skip_digits() {
  if (at_ == end_ || !is_digit(*at_)) return fail();
  while (at_ != end_ && is_digit(*at_)) ++at_;
  return true;
}

bool JsonCursor::skip_word(std::string_view word) {
  if (static_cast<std::size_t>(end_ - at_) < word.size() ||
      std::string_view(at_, word.size()) != word) {
    return fail();
  }
  at_ += word.size();
  return true;
}

bool JsonCursor::skip_number() {
  if (*at_ == '-') ++at_;
  if (at_ == end_) return fail();
  if (*at_ == 'I') return skip_word("Infinity");
  if (*at_ == '0') {
    ++at_;
  } else if (!skip_digits()) {
    return false;
  }
  if (at_ != end_ && *at_ == '.') {
    ++at_;
    if (!skip_digits()) return false;
  }
  if (at_ == end_ || (*at_ != 'e' && *at_ != 'E')) return true;
  ++at_;
  if (at_ != end_ && (*at_ == '+' || *at_ == '-')) ++at_;
  return skip_digits();
}

bool JsonCursor::skip_scalar(JsonValue& value) {
  const char* const first = at_;
  switch (*at_) {
    case '"':
      value.type = JsonType::kString;
      return skip_string(value.text);
    case 'n':
      value.type = JsonType::kNull;
      if (!skip_word("null")) return false;
      break;
    case 't':
    case 'f':
      value.type = JsonType::kBool;
      if (!skip_word(*at_ == 't' ? "true" : "false")) return false;
      break;
    default:
      value.type = JsonType::kNumber;
      if (*at_ == 'N' ? !skip_word("NaN") : !skip_number()) return false;
  }
  value.text = {first, static_cast<std::size_t>(at_ - first)};
  return true;
}

// One object or array with its whole content.
bool JsonCursor::skip_nested() {
  open_.assign(1, *at_++);
  is_first_ = true;
  std::string_view key;
  JsonValue scalar;
  while (!open_.empty()) {
    const bool is_object = open_.back() == '{';
    if (!(is_object ? next_member(key) : next_element())) {
      if (failed_) return false;
      open_.pop_back();
      continue;
    }
    if (at_end()) return fail();
    if (*at_ == '{' || *at_ == '[') {
      open_.push_back(*at_++);
      is_first_ = true;
    } else if (!skip_scalar(scalar)) {
      return false;
    }
  }
  return true;
}

JsonValue JsonCursor::take() {
  JsonValue value;
  if (failed_ || (at_end() && !fail())) return {};
  const char* const first = at_;
  if (*at_ == '{' || *at_ == '[') {
    value.type = *at_ == '{' ? JsonType::kObject : JsonType::kArray;
    if (!skip_nested()) return {};
    value.text = {first, static_cast<std::size_t>(at_ - first)};
  } else if (!skip_scalar(value)) {
    return {};
  }
  is_first_ = false;
  return value;
}

}  // namespace strobe
