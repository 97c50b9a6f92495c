#include "strobe/base/json_write.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "strobe/base/json_value.h"

namespace strobe {
namespace {

TEST(JsonWriterTest, compact_has_no_blank) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().member("a", 1).key("b").begin_array().value("x").value(true).null();
  json.begin_object().end_object().end_array().member("c", 0.5).end_object();
  EXPECT_EQ(out, R"({"a":1,"b":["x",true,null,{}],"c":0.5})");
}

TEST(JsonWriterTest, pretty_indents_by_two) {
  std::string out;
  JsonWriter json(out, JsonLayout::kPretty);
  json.begin_object().member("a", 1).key("b").begin_array().value(2).value(3).end_array();
  json.key("none").begin_array().end_array().end_object();
  EXPECT_EQ(out, "{\n  \"a\": 1,\n  \"b\": [\n    2,\n    3\n  ],\n  \"none\": []\n}");
}

TEST(JsonWriterTest, integers_keep_every_digit) {
  std::string out;
  JsonWriter(out)
      .begin_array()
      .value(std::numeric_limits<std::int64_t>::min())
      .value(std::numeric_limits<std::uint64_t>::max())
      .value(std::uint8_t{7})
      .end_array();
  EXPECT_EQ(out, "[-9223372036854775808,18446744073709551615,7]");
}

TEST(JsonWriterTest, doubles_are_short_and_read_back_the_same) {
  std::string out;
  JsonWriter(out).begin_array().value(0.1).value(100.0).value(1e300).value(-0.0).end_array();
  EXPECT_EQ(out, "[0.1,100,1e+300,-0]");
  std::mt19937_64 random(1);
  for (int round = 0; round < 10'000; ++round) {
    const double number = std::bit_cast<double>(random());
    if (!std::isfinite(number)) continue;
    std::string text;
    JsonWriter(text).value(number);
    EXPECT_EQ(parse_value(text).as_double(), number);
  }
}

TEST(JsonWriterTest, what_is_no_number_becomes_null) {
  std::string out;
  JsonWriter(out).begin_array().value(NAN).value(INFINITY).value(-INFINITY).end_array();
  EXPECT_EQ(out, "[null,null,null]");
}

TEST(JsonWriterTest, written_names_read_back) {
  for (const std::string& name :
       {std::string("quote \" backslash \\ slash /"), std::string("line\nfeed\ttab\r"),
        std::string("zero\0byte\x1F", 10), std::string("\xE2\x82\xAC and \xF0\x9F\x98\x80")}) {
    std::string out;
    JsonWriter(out).begin_object().member(name, name).end_object();
    for_each_member(out, [&](std::string_view key, const JsonValue& value) {
      EXPECT_EQ((JsonValue{JsonType::kString, key}.as_string()), name);
      EXPECT_EQ(value.as_string(), name);
    });
  }
}

TEST(JsonWriterTest, bytes_that_are_no_text_are_replaced) {
  std::string out;
  JsonWriter(out).value(
      std::string_view("a\xFF"
                       "b"));
  EXPECT_EQ(out,
            "\"a\xEF\xBF\xBD"
            "b\"");
}

TEST(JsonWriterTest, spaced_ascii_is_what_python_writes) {
  std::string out;
  JsonWriter(out, JsonLayout::kSpacedAscii)
      .begin_object()
      .member("\u00e9", 1)
      .key("list")
      .begin_array()
      .value("\xF0\x9F\x98\x80\x7F\n")
      .value(true)
      .end_array()
      .end_object();
  EXPECT_EQ(out, "{\"\\u00e9\": 1, \"list\": [\"\\ud83d\\ude00\x7F\\n\", true]}");
}

TEST(JsonWriterTest, ascii_replaces_bytes_that_are_no_text) {
  std::string out;
  JsonWriter(out, JsonLayout::kSpacedAscii).value(std::string_view("\xFF"));
  EXPECT_EQ(out, "\"\\ufffd\"");
}

struct Celsius {
  int degrees = 0;
};
std::string json_text(Celsius temperature) { return std::to_string(temperature.degrees) + ".0"; }

TEST(JsonWriterTest, a_type_may_bring_its_own_way_to_write_numbers) {
  std::string out;
  JsonWriter(out).begin_object().member("t", Celsius{21}).end_object();
  EXPECT_EQ(out, R"({"t":21.0})");
}

TEST(JsonWriterDeathTest, a_value_without_its_key_is_a_bug) {
  std::string out;
  EXPECT_EXIT(JsonWriter(out).begin_object().value(1), ::testing::ExitedWithCode(70), "key");
}

TEST(JsonWriterDeathTest, a_bracket_that_was_not_opened_is_a_bug) {
  std::string out;
  EXPECT_EXIT(JsonWriter(out).begin_array().end_object(), ::testing::ExitedWithCode(70), "opened");
}

}  // namespace
}  // namespace strobe
