#include "strobe/base/json_cursor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strobe {
namespace {

using ::testing::ElementsAre;

bool is_json(std::string_view text) {
  JsonCursor cursor(text);
  return cursor.take().present() && cursor.at_end() && !cursor.failed();
}

TEST(JsonCursorTest, values_are_taken_whole_and_as_they_stand) {
  JsonCursor cursor(R"( [1, "a\"b", {"k": [null]}, true] )");
  ASSERT_TRUE(cursor.begin_array());
  std::vector<std::string> taken;
  while (cursor.next_element()) taken.emplace_back(cursor.take().text);
  EXPECT_THAT(taken, ElementsAre("1", R"(a\"b)", R"({"k": [null]})", "true"));
  EXPECT_TRUE(cursor.at_end());
  EXPECT_FALSE(cursor.failed());
}

TEST(JsonCursorTest, objects_are_walked_member_by_member_and_entered_at_will) {
  JsonCursor cursor(R"({"skip":{"a":1},"enter":{"b":2,"c":3},"last":4})");
  ASSERT_TRUE(cursor.begin_object());
  std::vector<std::string> keys;
  std::string_view key;
  while (cursor.next_member(key)) {
    keys.emplace_back(key);
    if (key == "enter") {
      ASSERT_TRUE(cursor.begin_object());
      while (cursor.next_member(key)) {
        keys.emplace_back(key);
        cursor.take();
      }
    } else {
      cursor.take();
    }
  }
  EXPECT_THAT(keys, ElementsAre("skip", "enter", "b", "c", "last"));
  EXPECT_FALSE(cursor.failed());
}

TEST(JsonCursorTest, the_grammar_is_kept) {
  for (const char* text :
       {"1", "-0.5e+7", "\"\\u00e9\\n\"", "[]", "{}", "[1,[2,{\"a\":3}]]", "null", "false"}) {
    EXPECT_TRUE(is_json(text)) << text;
  }
  for (const char* text :
       {"",     "01",    "1.",       ".5",       "-",          "1e",          "+1",
        "tru",  "nul",   "'a'",      "\"a",      "\"\\x\"",    "\"\\u12g4\"", "[1,]",
        "[,1]", "[1 2]", "{\"a\"}",  "{\"a\":}", "{\"a\":1,}", "{a:1}",       "[1}",
        "{]",   "[",     "{\"a\":1", "1 2",      "-Inf"}) {
    EXPECT_FALSE(is_json(text)) << text;
  }
}

TEST(JsonCursorTest, what_python_lets_through_is_let_through) {
  for (const char* text : {"NaN", "Infinity", "-Infinity", "\"tab\tinside\""}) {
    EXPECT_TRUE(is_json(text)) << text;
  }
}

TEST(JsonCursorTest, after_a_mistake_every_call_says_no) {
  JsonCursor cursor("[1, x, 2]");
  ASSERT_TRUE(cursor.begin_array());
  ASSERT_TRUE(cursor.next_element());
  EXPECT_TRUE(cursor.take().present());
  ASSERT_TRUE(cursor.next_element());
  EXPECT_FALSE(cursor.take().present());
  EXPECT_TRUE(cursor.failed());
  EXPECT_EQ(cursor.offset(), 4u);
  EXPECT_FALSE(cursor.next_element());
  EXPECT_FALSE(cursor.take().present());
  EXPECT_EQ(cursor.offset(), 4u);
}

TEST(JsonCursorTest, the_offset_after_a_mistake_is_that_of_the_first_wrong_byte) {
  const auto offset_of_mistake = [](std::string_view text) {
    JsonCursor cursor(text);
    cursor.take();
    EXPECT_TRUE(cursor.failed()) << text;
    return cursor.offset();
  };
  EXPECT_EQ(offset_of_mistake("[1 2, 3]"), 3u);
  EXPECT_EQ(offset_of_mistake(R"({"a": 1, b: 2, "c": 3})"), 9u);
  EXPECT_EQ(offset_of_mistake(R"({"a": [1, {"b" 2}], "c": 3})"), 15u);
  EXPECT_EQ(offset_of_mistake("[true, nul, 1]"), 7u);
  EXPECT_EQ(offset_of_mistake("[1, 2"), 5u);
}

TEST(JsonCursorTest, nothing_recurses) {
  constexpr std::size_t kDepth = 1'000'000;
  EXPECT_TRUE(is_json(std::string(kDepth, '[') + std::string(kDepth, ']')));
  EXPECT_FALSE(is_json(std::string(kDepth, '[') + std::string(kDepth - 1, ']')));
}

TEST(JsonCursorTest, strings_of_every_length_end_where_they_should) {
  for (std::size_t bytes = 0; bytes < 40; ++bytes) {
    const std::string text = "\"" + std::string(bytes, 'x') + "\",";
    JsonCursor cursor(text);
    EXPECT_EQ(cursor.take().text.size(), bytes);
    EXPECT_EQ(cursor.offset(), bytes + 2);
  }
}

}  // namespace
}  // namespace strobe
