#include "strobe/base/json_value.h"

#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/base/json_text.h"
#include "strobe/base/json_write.h"

namespace strobe {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

std::vector<std::pair<std::string, std::string>> members_of(std::string_view json,
                                                            bool* is_whole = nullptr) {
  std::vector<std::pair<std::string, std::string>> members;
  const bool whole = for_each_member(json, [&](std::string_view key, const JsonValue& value) {
    members.emplace_back(key, value.text);
  });
  if (is_whole != nullptr) *is_whole = whole;
  return members;
}

TEST(JsonValueTest, members_come_in_order_with_their_texts) {
  bool is_whole = false;
  EXPECT_THAT(
      members_of(R"( {"a": 1, "b":"x\"y" ,"c": [1, {"d": "]"}], "e": {"f": {}}, "g":null} )",
                 &is_whole),
      ElementsAre(Pair("a", "1"), Pair("b", "x\\\"y"), Pair("c", R"([1, {"d": "]"}])"),
                  Pair("e", R"({"f": {}})"), Pair("g", "null")));
  EXPECT_TRUE(is_whole);
}

TEST(JsonValueTest, each_value_is_told_by_its_look) {
  const auto type = [](std::string_view json) { return parse_value(json).type; };
  EXPECT_EQ(type(""), JsonType::kAbsent);
  EXPECT_EQ(type(" null"), JsonType::kNull);
  EXPECT_EQ(type("true"), JsonType::kBool);
  EXPECT_EQ(type("-1.5e3"), JsonType::kNumber);
  EXPECT_EQ(type("\"\""), JsonType::kString);
  EXPECT_EQ(type("[]"), JsonType::kArray);
  EXPECT_EQ(type("{}"), JsonType::kObject);
  EXPECT_EQ(type("undefined"), JsonType::kOther);
  EXPECT_EQ(type("\"open"), JsonType::kAbsent);
}

TEST(JsonValueTest, integers_are_exact_to_the_last_bit) {
  EXPECT_EQ(parse_value("9223372036854775807").as_int64(), INT64_MAX);
  EXPECT_EQ(parse_value("-9223372036854775808").as_int64(), INT64_MIN);
  EXPECT_EQ(parse_value("9007199254740993").as_int64(), 9007199254740993);
  EXPECT_EQ(parse_value("1e3").as_int64(), 1000);
  EXPECT_EQ(parse_value("12.9").as_int64(), 12);
  EXPECT_EQ(parse_value("9223372036854775808").as_int64(), std::nullopt);
  EXPECT_EQ(parse_value("1e300").as_int64(), std::nullopt);
  EXPECT_EQ(parse_value("nan").as_int64(), std::nullopt);
  EXPECT_EQ(parse_value("true").as_int64(), std::nullopt);
}

TEST(JsonValueTest, what_printf_makes_of_odd_numbers_is_a_double) {
  for (const char* const text : {"nan", "NaN", "-nan", "NAN"}) {
    const auto number = parse_value(text).as_double();
    ASSERT_TRUE(number) << text;
    EXPECT_TRUE(std::isnan(*number)) << text;
  }
  EXPECT_EQ(parse_value("inf").as_double(), INFINITY);
  EXPECT_EQ(parse_value("Infinity").as_double(), INFINITY);
  EXPECT_EQ(parse_value("-inf").as_double(), -INFINITY);
  EXPECT_EQ(parse_value("-Infinity").as_double(), -INFINITY);
  EXPECT_EQ(parse_value("+1.5").as_double(), 1.5);
}

TEST(JsonValueTest, odd_numbers_do_not_end_their_object) {
  EXPECT_THAT(members_of(R"({"occupancy": nan,"warps":-inf,"x":1})"),
              ElementsAre(Pair("occupancy", "nan"), Pair("warps", "-inf"), Pair("x", "1")));
}

TEST(JsonValueTest, a_number_in_quotes_is_one_on_request_only) {
  const JsonValue value = parse_value(R"("140241")");
  EXPECT_EQ(value.as_int64(), std::nullopt);
  EXPECT_EQ(value.unquoted().as_int64(), 140241);
  EXPECT_EQ(parse_value(R"(" 0.5 ")").unquoted().as_double(), 0.5);
  EXPECT_EQ(parse_value(R"("GPU 0")").unquoted().type, JsonType::kString);
  EXPECT_EQ(parse_value("7").unquoted().as_int64(), 7);
}

TEST(JsonValueTest, strings_are_unescaped_and_other_values_keep_their_text) {
  EXPECT_EQ(parse_value(R"("a\tb")").as_string(), "a\tb");
  EXPECT_EQ(parse_value("12.50").as_string(), "12.50");
  EXPECT_EQ(parse_value("\"\xFF\"").as_string(), std::string(kReplacement));
}

TEST(JsonValueTest, booleans_are_booleans_only) {
  EXPECT_EQ(parse_value("true").as_bool(), true);
  EXPECT_EQ(parse_value("false").as_bool(), false);
  EXPECT_EQ(parse_value("1").as_bool(), std::nullopt);
}

TEST(JsonValueTest, the_first_member_of_a_name_is_found) {
  EXPECT_EQ(find(R"({"a":{"b":1},"b":2,"b":3})", "b").as_int64(), 2);
  EXPECT_FALSE(find(R"({"a":1})", "b").present());
  EXPECT_FALSE(find("[1]", "a").present());
}

TEST(JsonValueTest, elements_come_in_order) {
  std::vector<std::string> elements;
  EXPECT_TRUE(for_each_element(R"([1, "two", [3], {"four": 4}, nan])",
                               [&](const JsonValue& value) { elements.emplace_back(value.text); }));
  EXPECT_THAT(elements, ElementsAre("1", "two", "[3]", R"({"four": 4})", "nan"));
}

TEST(JsonValueTest, a_cut_text_gives_what_was_whole) {
  const std::string json = R"({"a":1,"b":"two","c":[1,2]})";
  for (std::size_t cut = 0; cut < json.size(); ++cut) {
    bool is_whole = true;
    const auto members = members_of(json.substr(0, cut), &is_whole);
    EXPECT_FALSE(is_whole) << cut;
    EXPECT_LE(members.size(), 3u);
  }
  EXPECT_THAT(members_of(R"({"a":1,"b":"tw)"), ElementsAre(Pair("a", "1")));
}

TEST(JsonValueTest, missing_and_doubled_commas_are_forgiven) {
  EXPECT_THAT(members_of(R"({,"a":1 "b":2,,"c":3,})"),
              ElementsAre(Pair("a", "1"), Pair("b", "2"), Pair("c", "3")));
}

TEST(JsonValueTest, a_million_levels_are_skipped_like_one) {
  const std::size_t levels = 1'000'000;
  const std::string deep = std::string(levels, '[') + std::string(levels, ']');
  bool is_whole = false;
  EXPECT_EQ(members_of("{\"a\":" + deep + ",\"b\":1}", &is_whole).size(), 2u);
  EXPECT_TRUE(is_whole);
  EXPECT_TRUE(members_of("{\"a\":" + std::string(levels, '{'), &is_whole).empty());
  EXPECT_FALSE(is_whole);
}

TEST(JsonValueTest, no_bytes_make_it_stumble) {
  std::mt19937 random(5);
  constexpr std::string_view kAlphabet = "{}[]\",:\\ 1nte.-\n\xFF";
  for (int round = 0; round < 200'000; ++round) {
    std::string json(1 + random() % 20, '{');
    for (std::size_t at = 1; at < json.size(); ++at) {
      json[at] = kAlphabet[random() % kAlphabet.size()];
    }
    for_each_member(json, [&](std::string_view key, const JsonValue& value) {
      EXPECT_GE(key.data(), json.data());
      EXPECT_LE(value.text.data() + value.text.size(), json.data() + json.size());
      value.as_int64();
      value.as_string();
    });
    json[0] = '[';
    for_each_element(json, [](const JsonValue& value) { value.unquoted().as_double(); });
  }
}

std::string copied(std::string_view text) {
  std::string out;
  JsonWriter json(out);
  copy_json(parse_value(text), json);
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
