#include "strobe/writers/text_buffer.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "tests/unit/writers/text_sink.h"

namespace strobe::writers {
namespace {

std::string microseconds(std::int64_t ns) {
  char text[TextBuffer::kLongestNumber];
  return {text, TextBuffer::put_microseconds(ns, text)};
}

TEST(TextBufferTest, microseconds_have_three_decimals_or_none) {
  EXPECT_EQ(microseconds(0), "0");
  EXPECT_EQ(microseconds(12'000), "12");
  EXPECT_EQ(microseconds(500), "0.500");
  EXPECT_EQ(microseconds(-1'500), "-1.500");
  EXPECT_EQ(microseconds(3'847'976'566'083'250), "3847976566083.250");
  EXPECT_EQ(microseconds(std::int64_t{1} << 61), "2305843009213693.952");
}

// Perfetto multiplies a double by 1000 and cuts it.
TEST(TextBufferTest, a_reader_that_cuts_gets_every_nanosecond) {
  EXPECT_EQ(microseconds(1'001), "1.0014");  // 1.001 * 1000 is 1000.9999999999999
  std::int64_t ns = 1;
  for (int i = 0; i < 200'000; ++i) {
    ns = (ns * 6364136223846793005 + 1442695040888963407) & ((std::int64_t{1} << 49) - 1);
    const std::string text = microseconds(ns);
    const bool is_whole = text.find('.') == std::string::npos;
    const std::int64_t read =
        is_whole ? std::atoll(text.c_str()) * 1000
                 : static_cast<std::int64_t>(std::strtod(text.c_str(), nullptr) * 1000.0);
    ASSERT_EQ(read, ns) << text;
  }
}

TEST(TextBufferTest, text_of_any_length_arrives_in_order) {
  TextSink::Seen seen;
  TextSink sink(seen);
  TextBuffer buffer(sink);
  std::string expected;
  for (int i = 0; i < 3000; ++i) {
    const std::string text(static_cast<std::size_t>(i), static_cast<char>('a' + i % 26));
    buffer.append(text);
    expected += text;
  }
  const std::string longer(1 << 20, 'x');  // than the buffer
  buffer.append(longer);
  expected += longer;
  ASSERT_TRUE(buffer.flush());
  EXPECT_TRUE(seen.text == expected);
}

TEST(TextBufferTest, after_an_error_nothing_more_is_written) {
  TextSink::Seen seen;
  TextSink sink(seen, 4);
  TextBuffer buffer(sink);
  buffer.append("1234");
  EXPECT_TRUE(buffer.flush());
  buffer.append("5");
  EXPECT_FALSE(buffer.has_failed());
  EXPECT_FALSE(buffer.flush());
  EXPECT_TRUE(buffer.has_failed());
  buffer.append("6");
  EXPECT_EQ(buffer.flush().error().what, "the disk is full");
  EXPECT_EQ(seen.text, "1234");
}

}  // namespace
}  // namespace strobe::writers
