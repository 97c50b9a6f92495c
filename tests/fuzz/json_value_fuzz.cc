// Any bytes as a small JSON text: walking it ends and stays inside, and if simdjson accepts the
// text as valid JSON, both find the same members.
#include <simdjson.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/json_value.h"
#include "tests/fuzz/fuzz_check.h"

namespace {

using strobe::JsonType;
using strobe::JsonValue;

void check_inside(std::string_view part, std::string_view whole) {
  FUZZ_CHECK(part.empty() || (part.data() >= whole.data() &&
                              part.data() + part.size() <= whole.data() + whole.size()),
             "a view stays inside the text");
}

// Visits every value below, level by level.
void walk_all(std::string_view json) {
  std::vector<JsonValue> open = {strobe::parse_value(json)};
  std::size_t visited = 0;
  while (!open.empty() && ++visited < 10'000) {
    const JsonValue value = open.back();
    open.pop_back();
    check_inside(value.text, json);
    (void)value.as_int64();
    (void)value.as_double();
    (void)value.as_bool();
    (void)value.unquoted();
    if (value.type == JsonType::kString) {
      const std::string text = value.as_string();
      FUZZ_CHECK(simdjson::validate_utf8(text.data(), text.size()), "strings are valid UTF-8");
    } else if (value.type == JsonType::kObject) {
      strobe::for_each_member(value.text, [&](std::string_view key, JsonValue member) {
        check_inside(key, json);
        open.push_back(member);
      });
    } else if (value.type == JsonType::kArray) {
      strobe::for_each_element(value.text, [&](JsonValue element) { open.push_back(element); });
    }
  }
}

void compare_with_tree(std::string_view json) {
  static simdjson::dom::parser parser;
  simdjson::dom::element document;
  if (parser.parse(json.data(), json.size()).get(document)) return;
  const JsonValue value = strobe::parse_value(json);
  simdjson::dom::object object;
  simdjson::dom::array array;
  std::string_view string;
  std::int64_t integer = 0;
  if (!document.get_object().get(object)) {
    FUZZ_CHECK(value.type == JsonType::kObject, "both see an object");
    std::size_t members = 0;
    const bool whole = strobe::for_each_member(
        value.text, [&](std::string_view, JsonValue member) { members += member.present(); });
    FUZZ_CHECK(whole && members == object.size(), "both see the same members");
  } else if (!document.get_array().get(array)) {
    FUZZ_CHECK(value.type == JsonType::kArray, "both see an array");
    std::size_t elements = 0;
    const bool whole = strobe::for_each_element(
        value.text, [&](JsonValue element) { elements += element.present(); });
    FUZZ_CHECK(whole && elements == array.size(), "both see the same elements");
  } else if (!document.get_string().get(string)) {
    FUZZ_CHECK(value.type == JsonType::kString, "both see a string");
    FUZZ_CHECK(value.as_string() == string, "both read the same text");
  } else if (!document.get_int64().get(integer)) {
    FUZZ_CHECK(value.as_int64() == integer, "both read the same number");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  walk_all(json);
  compare_with_tree(json);
  return 0;
}
