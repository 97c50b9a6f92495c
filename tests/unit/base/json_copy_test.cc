#include "strobe/base/json_copy.h"

#include <gtest/gtest.h>

namespace strobe {
namespace {

std::string copied(std::string_view text) {
  std::string out;
  JsonWriter json(out);
  copy_json(parse_value(text), json);
  EXPECT_TRUE(json.is_complete());
  return out;
}

TEST(JsonCopyTest, what_is_json_stays_as_it_is) {
  const std::string text = R"({"a":[1,-2.50,3e+7,[]],"b":{"c":null,"d":true},"e":"x\ny"})";
  EXPECT_EQ(copied(text), text);
  EXPECT_EQ(copied("12345678901234567890"), "12345678901234567890") << "no digit is lost";
}

TEST(JsonCopyTest, what_is_no_number_becomes_null_or_a_number) {
  EXPECT_EQ(copied(R"({"a":nan,"b":-Infinity,"c":007,"d":1.})"),
            R"({"a":null,"b":null,"c":7,"d":1})");
}

TEST(JsonCopyTest, broken_text_always_gives_text_that_parses) {
  EXPECT_EQ(copied("{\"a\":\"x\x01\"}"), "{\"a\":\"x\xEF\xBF\xBD\"}");
  EXPECT_EQ(copied(R"({"a":1 "b":[1,,2]})"), R"({"a":1,"b":[1,2]})");
  EXPECT_EQ(copied(R"({"a":1,"b":[1,2)"), "null") << "it ends too early to be a value";
}

TEST(JsonCopyTest, deep_nesting_becomes_a_string) {
  const std::string deep = std::string(10'000, '[') + std::string(10'000, ']');
  const std::string out = copied(deep);
  EXPECT_TRUE(out.starts_with(std::string(64, '[') + "\"[["));
  EXPECT_TRUE(out.ends_with("]]\"" + std::string(64, ']')));
}

}  // namespace
}  // namespace strobe
