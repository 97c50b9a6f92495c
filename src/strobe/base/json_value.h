#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace strobe {

class JsonWriter;

enum class JsonType : std::uint8_t {
  kAbsent,  // nothing there
  kNull,
  kBool,
  kNumber,  // also nan and infinity in any spelling: some writers use printf
  kString,
  kArray,
  kObject,
  kOther,  // a word JSON does not have
};

// One value of a small JSON text, not decoded: a view and its type.
struct JsonValue {
  JsonType type = JsonType::kAbsent;
  std::string_view text;  // strings without their quotes, escapes as they stand

  bool present() const { return type != JsonType::kAbsent; }

  // Numbers only. A fraction is cut off; a number that does not fit gives nothing.
  std::optional<std::int64_t> as_int64() const;
  std::optional<double> as_double() const;
  std::optional<bool> as_bool() const;
  // Strings are unescaped and made valid UTF-8; other values give their JSON text.
  std::string as_string() const;

  // "42" as 42: a string that holds a number becomes that number; other values are unchanged.
  JsonValue unquoted() const;
};

// The value a text starts with.
JsonValue parse_value(std::string_view json);

// Walks an object or an array, one member or element per call, and never recurses: nesting is free.
// Ends early, with is_broken(), where the text stops being JSON; commas may be missing or doubled.
class JsonWalk {
 public:
  static JsonWalk members(std::string_view object) { return JsonWalk(object, '{', '}'); }
  static JsonWalk elements(std::string_view array) { return JsonWalk(array, '[', ']'); }

  bool next_member(std::string_view& raw_key, JsonValue& value);
  bool next_element(JsonValue& value);
  bool is_broken() const { return is_broken_; }

 private:
  JsonWalk(std::string_view json, char open, char close);
  bool at_item();

  std::string_view left_;
  char close_;
  bool is_over_ = false;
  bool is_broken_ = false;
};

// f(std::string_view raw_key, JsonValue value); true if the text is an object from end to end.
template <class Function>
bool for_each_member(std::string_view object, Function&& f) {
  JsonWalk walk = JsonWalk::members(object);
  std::string_view key;
  JsonValue value;
  while (walk.next_member(key, value)) f(key, value);
  return !walk.is_broken();
}

// f(JsonValue value); true if the text is an array from end to end.
template <class Function>
bool for_each_element(std::string_view array, Function&& f) {
  JsonWalk walk = JsonWalk::elements(array);
  JsonValue value;
  while (walk.next_element(value)) f(value);
  return !walk.is_broken();
}

// The first member of that name, or an absent value.
JsonValue find(std::string_view object, std::string_view key);

// Writes a value of a text that was read tolerantly so that the result always parses: strings are
// repaired, invalid or truncated values become null, and too deeply nested values become strings.
void copy_json(const JsonValue& value, JsonWriter& json);

}  // namespace strobe
