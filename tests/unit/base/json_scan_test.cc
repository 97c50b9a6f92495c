#include "strobe/base/json_scan.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace strobe::json {
namespace {

// A text with the zero bytes after it that the scanner needs.
struct Padded {
  explicit Padded(std::string text) : bytes(std::move(text)), size(bytes.size()) {
    bytes.append(simd::kSimdPadding, '\0');
  }
  const char* begin() const { return bytes.data(); }
  const char* end() const { return bytes.data() + size; }
  std::string bytes;
  std::size_t size;
};

std::int64_t thousandths(const std::string& text) {
  const Padded padded(text);
  std::int64_t value = 0;
  read_thousandths(padded.begin(), value);
  return value;
}

TEST(JsonScanTest, microseconds_become_nanoseconds_to_the_last_digit) {
  EXPECT_EQ(thousandths("3848423551855.532"), 3848423551855532);
  EXPECT_EQ(thousandths("1623142623460016"), 1623142623460016000);
  EXPECT_EQ(thousandths("0.001"), 1);
  EXPECT_EQ(thousandths("12"), 12000);
  EXPECT_EQ(thousandths("12.5"), 12500);
  EXPECT_EQ(thousandths("-3.25"), -3250);
}

TEST(JsonScanTest, further_decimals_round_half_away_from_zero) {
  EXPECT_EQ(thousandths("1.0004999"), 1000);
  EXPECT_EQ(thousandths("1.0005"), 1001);
  EXPECT_EQ(thousandths("-1.0005"), -1001);
  EXPECT_EQ(thousandths("0.9996"), 1000);
}

TEST(JsonScanTest, exponents_are_read_exactly) {
  EXPECT_EQ(thousandths("1.5e3"), 1500000);
  EXPECT_EQ(thousandths("1623142623460016.123e0"), 1623142623460016123);
  EXPECT_EQ(thousandths("25E-4"), 3);  // 0.0025 -> 2.5 thousandths, half rounds away
  EXPECT_EQ(thousandths("1e-30"), 0);
}

TEST(JsonScanTest, numbers_no_int64_holds_become_the_largest) {
  constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(thousandths("9223372036854775807"), kLargest);
  EXPECT_EQ(thousandths("1e300"), kLargest);
  EXPECT_EQ(thousandths("-99999999999999999999999"), -kLargest);
  EXPECT_EQ(thousandths("9223372036854775.807"), 9223372036854775807);
}

TEST(JsonScanTest, what_is_no_number_is_told_apart) {
  EXPECT_EQ(thousandths("nan"), kNoNumber);
  EXPECT_EQ(thousandths(""), kNoNumber);
  EXPECT_EQ(thousandths("."), kNoNumber);
  EXPECT_EQ(thousandths("-"), kNoNumber);
}

TEST(JsonScanTest, leading_zeros_do_not_count_as_digits) {
  EXPECT_EQ(thousandths("00000000000000000000000000012.5"), 12500);
}

TEST(JsonScanTest, integers_drop_their_fraction) {
  std::int64_t value = 0;
  const Padded padded("42.9,");
  EXPECT_EQ(*read_integer(padded.begin(), value), ',');
  EXPECT_EQ(value, 42);
}

TEST(JsonScanTest, strings_end_at_the_first_quote_that_is_not_escaped) {
  const Padded padded(R"(a\"b\\" rest)");
  const StringEnd string = find_string_end(padded.begin(), padded.end());
  EXPECT_EQ(string.quote - padded.begin(), 6);
  EXPECT_FALSE(string.plain);
}

TEST(JsonScanTest, a_string_longer_than_a_block_is_found) {
  for (std::size_t length = 0; length < 70; ++length) {
    const Padded padded(std::string(length, 'x') + "\"");
    const StringEnd string = find_string_end(padded.begin(), padded.end());
    EXPECT_EQ(string.quote, padded.begin() + length);
    EXPECT_TRUE(string.plain);
  }
}

TEST(JsonScanTest, control_characters_in_strings_are_stepped_over_and_noted) {
  const Padded padded(std::string("a\nb\0c\"", 6));
  const StringEnd string = find_string_end(padded.begin(), padded.end());
  EXPECT_EQ(string.quote - padded.begin(), 5);
  EXPECT_FALSE(string.plain);
}

TEST(JsonScanTest, a_string_cut_short_has_no_end) {
  for (const char* text : {"abc", "abc\\", "abc\\\"", ""}) {
    const Padded padded(text);
    EXPECT_EQ(find_string_end(padded.begin(), padded.end()).quote, nullptr) << text;
  }
}

TEST(JsonScanTest, values_of_every_type_are_stepped_over) {
  for (const std::string value :
       {"12", "-1.5e3", "true", "null", "\"a]b\"", "[1,[2],{\"x\":\"}\"}]", "{}",
        "{\"a\":{\"b\":[\"\\\"]\"]}}", "nan"}) {
    const Padded padded(value + ", 7");
    EXPECT_EQ(skip_value(padded.begin(), padded.end()), padded.begin() + value.size()) << value;
  }
}

TEST(JsonScanTest, a_million_open_brackets_do_not_recurse) {
  const Padded padded(std::string(1'000'000, '['));
  EXPECT_EQ(skip_value(padded.begin(), padded.end()), nullptr);
  const Padded closed(std::string(1'000'000, '[') + std::string(1'000'000, ']') + ",");
  EXPECT_EQ(skip_value(closed.begin(), closed.end()), closed.end() - 1);
}

TEST(JsonScanTest, blanks_of_any_number_are_skipped) {
  for (std::size_t blanks = 0; blanks < 40; ++blanks) {
    const Padded padded(std::string(blanks, ' ') + "x");
    EXPECT_EQ(skip_blanks(padded.begin()), padded.begin() + blanks);
  }
  const Padded nothing("   ");
  EXPECT_EQ(skip_blanks(nothing.begin()), nothing.end());
}

}  // namespace
}  // namespace strobe::json
