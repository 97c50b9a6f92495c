#include "strobe/base/json_text.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace strobe {
namespace {

using namespace std::string_literals;

const std::string kLost(kReplacement);

TEST(JsonTextTest, every_escape_of_the_standard_is_resolved) {
  bool repaired = false;
  EXPECT_EQ(unescape(R"(\"\\\/\b\f\n\r\t\u0041\u00e9\u20AC)", &repaired),
            "\"\\/\b\f\n\r\tA\xC3\xA9\xE2\x82\xAC");
  EXPECT_FALSE(repaired);
}

TEST(JsonTextTest, a_surrogate_pair_is_one_character) {
  bool repaired = false;
  EXPECT_EQ(unescape(R"(\ud83d\ude00!)", &repaired), "\xF0\x9F\x98\x80!");
  EXPECT_FALSE(repaired);
}

TEST(JsonTextTest, half_a_surrogate_pair_is_replaced) {
  for (const char* const raw : {R"(a\ud83db)", R"(a\ude00b)"}) {
    bool repaired = false;
    EXPECT_EQ(unescape(raw, &repaired), "a" + kLost + "b");
    EXPECT_TRUE(repaired);
  }
  EXPECT_EQ(unescape(R"(\ud83d\ud83d\ude00)"), kLost + "\xF0\x9F\x98\x80");
  EXPECT_EQ(unescape(R"(\ud83dA)"), kLost + "A");
}

TEST(JsonTextTest, an_unknown_escape_loses_only_its_backslash) {
  bool repaired = false;
  EXPECT_EQ(unescape(R"(C:\data\u12G4)", &repaired), "C:" + kLost + "data" + kLost + "u12G4");
  EXPECT_TRUE(repaired);
  EXPECT_EQ(unescape("end\\"), "end" + kLost);
  EXPECT_EQ(unescape("\\u12"), kLost + "u12");
}

TEST(JsonTextTest, a_control_character_is_replaced) {
  bool repaired = false;
  EXPECT_EQ(unescape("a\nb\0c"s, &repaired), "a" + kLost + "b" + kLost + "c");
  EXPECT_TRUE(repaired);
}

TEST(JsonTextTest, a_clean_text_does_not_clear_the_mark) {
  bool repaired = true;
  unescape("clean", &repaired);
  EXPECT_TRUE(repaired);
}

TEST(JsonTextTest, utf8_is_checked_to_the_last_rule) {
  for (const auto& good : {""s, "ascii"s, "\xC2\x80"s, "\xE0\xA0\x80"s, "\xED\x9F\xBF"s,
                           "\xEF\xBF\xBF"s, "\xF0\x90\x80\x80"s, "\xF4\x8F\xBF\xBF"s}) {
    EXPECT_TRUE(is_valid_utf8(good));
    EXPECT_TRUE(is_valid_utf8("eight or more " + good + " around it"));
  }
  for (const auto& bad :
       {"\x80"s, "\xC0\x80"s, "\xC1\xBF"s, "\xC2"s, "\xE0\x9F\xBF"s, "\xED\xA0\x80"s,
        "\xF0\x8F\xBF\xBF"s, "\xF4\x90\x80\x80"s, "\xF5"s, "\xFF"s, "\xE2\x82"s}) {
    EXPECT_FALSE(is_valid_utf8(bad));
    EXPECT_FALSE(is_valid_utf8("eight or more " + bad + " around it"));
  }
}

TEST(JsonTextTest, each_unreadable_run_becomes_one_replacement) {
  EXPECT_EQ(sanitize_utf8("a\xE2\x82z"), "a" + kLost + "z");
  EXPECT_EQ(sanitize_utf8("\xFF\xFE"), kLost + kLost);
  EXPECT_EQ(sanitize_utf8("\xED\xA0\x80"), kLost + kLost + kLost);
  EXPECT_EQ(sanitize_utf8("na\xC3\xAFve"), "na\xC3\xAFve");
}

TEST(JsonTextTest, whatever_comes_in_valid_utf8_comes_out) {
  std::mt19937 random(3);
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes(random() % 24, '\0');
    for (char& byte : bytes) {
      const std::size_t pick = random();
      byte = pick % 3 == 0 ? '\\' : static_cast<char>(pick >> 8);
    }
    EXPECT_TRUE(is_valid_utf8(sanitize_utf8(bytes)));
    EXPECT_TRUE(is_valid_utf8(unescape(bytes)));
    if (is_valid_utf8(bytes)) {
      EXPECT_EQ(sanitize_utf8(bytes), bytes);
    }
  }
}

}  // namespace
}  // namespace strobe
