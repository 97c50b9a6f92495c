#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace strobe {

enum class JsonLayout : std::uint8_t {
  kCompact,
  kPretty,
  kSpacedAscii,  // one line, a blank after commas and colons, \uXXXX for all but ASCII
};

// Appends one JSON document to a string. Names and texts may hold any bytes; invalid UTF-8 is
// replaced, and NaN and infinity become null, so the result always parses.
class JsonWriter {
 public:
  explicit JsonWriter(std::string& out, JsonLayout layout = JsonLayout::kCompact)
      : out_(out), layout_(layout) {}

  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_array();
  JsonWriter& end_array();
  JsonWriter& key(std::string_view name);

  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(bool flag);
  JsonWriter& value(double number);  // the shortest form that reads back as the same number
  template <std::integral Integer>
  JsonWriter& value(Integer number) {
    if constexpr (std::signed_integral<Integer>) {
      return signed_value(number);
    } else {
      return unsigned_value(number);
    }
  }
  // A type that formats its own numbers provides json_text(number).
  template <class Number>
  requires requires(const Number& number) {
    { json_text(number) } -> std::same_as<std::string>;
  }
  JsonWriter& value(const Number& number) { return raw(json_text(number)); }
  JsonWriter& null();
  JsonWriter& raw(std::string_view json);  // already JSON

  template <class Value>
  JsonWriter& member(std::string_view name, const Value& v) {
    return key(name).value(v);
  }

 private:
  struct Level {
    bool is_object = false;
    bool is_empty = true;
  };

  JsonWriter& signed_value(std::int64_t number);
  JsonWriter& unsigned_value(std::uint64_t number);
  void begin_item();
  void begin_value();
  void begin(char bracket, bool is_object);
  void end(char bracket, bool is_object);
  void new_line();
  void append_text(std::string_view text);

  std::string& out_;
  JsonLayout layout_;
  std::vector<Level> open_;
  bool has_key_ = false;
  bool has_root_ = false;
};

// The text in quotes, as JsonWriter writes it.
void append_json_string(std::string_view text, std::string& out);
void append_json_ascii_string(std::string_view text, std::string& out);

}  // namespace strobe
