#include "strobe/base/json_value.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <system_error>

#include "strobe/base/json_text.h"
#include "strobe/base/json_write.h"
#include "strobe/base/text.h"

namespace strobe {
namespace {

constexpr std::string_view kSpace = " \t\n\r";

std::string_view without_space(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kSpace);
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

// Index of the quote that closes the string opened at `open`, or npos.
std::size_t closing_quote(std::string_view text, std::size_t open) {
  for (std::size_t at = text.find_first_of("\"\\", open + 1); at != std::string_view::npos;
       at = text.find_first_of("\"\\", at)) {
    if (text[at] == '"') return at;
    at += 2;
  }
  return std::string_view::npos;
}

// Length of the object or array at the front, or npos if it is not closed. Braces and brackets are
// treated alike: a text that mixes them up is detected by the walk over it.
std::size_t nested_bytes(std::string_view text) {
  std::size_t depth = 0;
  for (std::size_t at = text.find_first_of("{}[]\""); at != std::string_view::npos;
       at = text.find_first_of("{}[]\"", at + 1)) {
    switch (text[at]) {
      case '"':
        at = closing_quote(text, at);
        if (at == std::string_view::npos) return at;
        break;
      case '{':
      case '[':
        ++depth;
        break;
      default:
        if (--depth == 0) return at + 1;
    }
  }
  return std::string_view::npos;
}

std::optional<double> parse_double(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

JsonType type_of_word(std::string_view word) {
  if (word == "null") return JsonType::kNull;
  if (word == "true" || word == "false") return JsonType::kBool;
  return parse_double(word) ? JsonType::kNumber : JsonType::kOther;
}

// Takes the value at the front of `left`; absent if it is not closed.
JsonValue take_value(std::string_view& left) {
  left = without_space(left);
  if (left.empty()) return {};
  const char first = left.front();
  JsonValue value;
  std::size_t bytes = 0;
  if (first == '"') {
    const std::size_t quote = closing_quote(left, 0);
    if (quote == std::string_view::npos) return {};
    value = {JsonType::kString, left.substr(1, quote - 1)};
    bytes = quote + 1;
  } else if (first == '{' || first == '[') {
    bytes = nested_bytes(left);
    if (bytes == std::string_view::npos) return {};
    value = {first == '{' ? JsonType::kObject : JsonType::kArray, left.substr(0, bytes)};
  } else {
    bytes = std::min(left.find_first_of(",:]}[{\" \t\n\r"), left.size());
    if (bytes == 0) return {};
    value = {type_of_word(left.substr(0, bytes)), left.substr(0, bytes)};
  }
  left.remove_prefix(bytes);
  return value;
}

}  // namespace

std::optional<std::int64_t> JsonValue::as_int64() const {
  if (type != JsonType::kNumber) return std::nullopt;
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && at == end) return value;
  // The double nearest to INT64_MAX is 2^63, which is one too large.
  constexpr double kLimit = 9223372036854775808.0;
  const std::optional<double> number = as_double();
  if (!number || !(*number >= -kLimit && *number < kLimit)) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

std::optional<double> JsonValue::as_double() const {
  if (type != JsonType::kNumber) return std::nullopt;
  return parse_double(text);
}

std::optional<bool> JsonValue::as_bool() const {
  if (type != JsonType::kBool) return std::nullopt;
  return text == "true";
}

std::string JsonValue::as_string() const {
  return type == JsonType::kString ? unescape(text) : sanitize_utf8(text);
}

JsonValue JsonValue::unquoted() const {
  if (type != JsonType::kString) return *this;
  std::string_view word = without_space(text);
  word = word.substr(0, word.find_last_not_of(kSpace) + 1);
  if (type_of_word(word) != JsonType::kNumber) return *this;
  return {JsonType::kNumber, word};
}

JsonValue parse_value(std::string_view json) { return take_value(json); }

JsonWalk::JsonWalk(std::string_view json, char open, char close)
    : left_(without_space(json)), close_(close) {
  is_broken_ = !left_.starts_with(open);
  is_over_ = is_broken_;
  if (!is_over_) left_.remove_prefix(1);
}

bool JsonWalk::at_item() {
  if (is_over_) return false;
  while (true) {
    left_ = without_space(left_);
    if (!left_.starts_with(',')) break;
    left_.remove_prefix(1);
  }
  if (!left_.empty() && left_.front() != close_) return true;
  is_over_ = true;
  is_broken_ = left_.empty();
  return false;
}

bool JsonWalk::next_member(std::string_view& raw_key, JsonValue& value) {
  if (!at_item()) return false;
  const JsonValue key = take_value(left_);
  left_ = without_space(left_);
  if (key.type == JsonType::kString && left_.starts_with(':')) {
    left_.remove_prefix(1);
    raw_key = key.text;
    value = take_value(left_);
    if (value.present()) return true;
  }
  is_over_ = is_broken_ = true;
  return false;
}

bool JsonWalk::next_element(JsonValue& value) {
  if (!at_item()) return false;
  value = take_value(left_);
  is_over_ = is_broken_ = !value.present();
  return value.present();
}

JsonValue find(std::string_view object, std::string_view key) {
  JsonWalk walk = JsonWalk::members(object);
  std::string_view candidate;
  JsonValue value;
  while (walk.next_member(candidate, value)) {
    if (candidate == key) return value;
  }
  return {};
}

namespace {

constexpr int kDeepest = 64;

// JSON's own grammar of numbers, which is stricter than what writers print.
bool is_json_number(std::string_view text) {
  std::size_t at = 0;
  const auto digits = [&] {
    const std::size_t begin = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    return at > begin;
  };
  const auto skip = [&](std::string_view any_of) {
    const bool is_there = at < text.size() && any_of.find(text[at]) != std::string_view::npos;
    if (is_there) ++at;
    return is_there;
  };
  skip("-");
  const bool starts_with_zero = at < text.size() && text[at] == '0';
  const std::size_t whole = at;
  if (!digits() || (starts_with_zero && at > whole + 1)) return false;
  if (skip(".") && !digits()) return false;
  if (skip("eE")) {
    skip("+-");
    if (!digits()) return false;
  }
  return at == text.size();
}

void copy(const JsonValue& value, int depth, JsonWriter& json) {
  switch (value.type) {
    case JsonType::kAbsent:
    case JsonType::kNull:
      json.null();
      return;
    case JsonType::kBool:
      json.value(value.as_bool().value_or(false));
      return;
    case JsonType::kNumber:
      if (is_json_number(value.text)) {
        json.raw(value.text);
      } else if (const auto number = value.as_double()) {
        json.value(*number);
      } else {
        json.null();
      }
      return;
    case JsonType::kArray:
    case JsonType::kObject:
      break;
    case JsonType::kString:
    case JsonType::kOther:
      json.value(value.as_string());
      return;
  }
  if (depth == kDeepest) {
    json.value(value.as_string());
  } else if (value.type == JsonType::kArray) {
    json.begin_array();
    for_each_element(value.text, [&](const JsonValue& item) { copy(item, depth + 1, json); });
    json.end_array();
  } else {
    json.begin_object();
    for_each_member(value.text, [&](std::string_view key, const JsonValue& member) {
      json.key(unescape(key));
      copy(member, depth + 1, json);
    });
    json.end_object();
  }
}

}  // namespace

void copy_json(const JsonValue& value, JsonWriter& json) { copy(value, 0, json); }

}  // namespace strobe
