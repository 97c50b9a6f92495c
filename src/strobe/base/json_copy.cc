#include "strobe/base/json_copy.h"

#include <string>

#include "strobe/base/json_text.h"

namespace strobe {
namespace {

constexpr int kDeepest = 64;

// JSON's own grammar of numbers: stricter than what writers print.
bool is_json_number(std::string_view text) {
  std::size_t at = 0;
  const auto digits = [&] {
    const std::size_t begin = at;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
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
