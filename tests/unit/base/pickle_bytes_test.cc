#include "strobe/base/pickle_bytes.h"

#include <string>

#include <gtest/gtest.h>

namespace strobe {
namespace {

TEST(PickleBytesTest, texts_longer_than_the_window_are_put_together) {
  const std::string bytes = "ab" + std::string(1 << 20, 'x') + "line\r\nend";
  const auto stream = open_stream(std::string_view(bytes));
  PickleBytes window(**stream);
  EXPECT_EQ(window.next(), 'a');
  EXPECT_EQ(window.take(1), "b");
  EXPECT_EQ(window.take_long(1 << 20), std::string(1 << 20, 'x'));
  EXPECT_EQ(window.line(), "line");
  EXPECT_EQ(window.offset(), bytes.size() - 3);
  EXPECT_FALSE(window.take(4));
  EXPECT_FALSE(window.line());
  EXPECT_FALSE(window.take_long(std::uint64_t{1} << 62));
}

TEST(PickleBytesTest, literals_lose_their_quotes_and_escapes) {
  EXPECT_EQ(unquoted(R"('it\'s\n\x41')"), "it's\nA");
  EXPECT_EQ(unquoted(R"("\\")"), "\\");
  EXPECT_EQ(unquoted("bare"), "bare");
}

TEST(PickleBytesTest, escapes_become_characters) {
  EXPECT_EQ(unescaped(R"(a\u00e9)"), "a\xC3\xA9");
  EXPECT_EQ(unescaped(R"(\U0001f600)"), "\xF0\x9F\x98\x80");
  EXPECT_EQ(unescaped("\xe9"), "\xC3\xA9");
  EXPECT_EQ(unescaped(R"(\u12)"), R"(\u12)");
}

}  // namespace
}  // namespace strobe
