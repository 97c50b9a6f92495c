#include "strobe/base/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strobe {
namespace {

using ::testing::ElementsAre;

TEST(TextTest, letters_are_those_of_ascii) {
  for (int c = -128; c < 128; ++c) {
    const auto letter = static_cast<char>(c);
    EXPECT_EQ(is_digit(letter), std::string_view("0123456789").find(letter) != std::string::npos);
    EXPECT_EQ(is_letter(letter), (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) << c;
    EXPECT_EQ(lower(letter), static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c)) << c;
  }
  EXPECT_TRUE(is_letter_or_digit('7'));
  EXPECT_TRUE(is_space('\r'));
  EXPECT_FALSE(is_blank('\r'));
  EXPECT_EQ(lower_case("GPU 7 \xC3\x84"), "gpu 7 \xC3\x84");
}

TEST(TextTest, a_character_of_several_bytes_is_one_code_point) {
  EXPECT_EQ(code_points(""), 0u);
  EXPECT_EQ(code_points("a\xC3\x84z\xE2\x89\x88"), 4u);
}

TEST(TextTest, thousands_are_separated_before_the_point) {
  EXPECT_EQ(with_commas("999"), "999");
  EXPECT_EQ(with_commas("-999.1234"), "-999.1234");
  EXPECT_EQ(with_commas("1234567.8901"), "1,234,567.8901");
  EXPECT_EQ(with_commas("-1234"), "-1,234");
  EXPECT_EQ(with_commas("inf"), "inf");
}

TEST(TextTest, trimming_takes_spaces_and_line_ends_from_both_ends_only) {
  EXPECT_EQ(trimmed(" \ta b\r\n"), "a b");
  EXPECT_EQ(trimmed(" \t"), "");
  EXPECT_EQ(trimmed(""), "");
}

TEST(TextTest, lines_are_taken_one_after_the_other) {
  std::string_view left = "a\r\n\nb";
  EXPECT_EQ(take_line(left), "a");
  EXPECT_EQ(take_line(left), "");
  EXPECT_EQ(take_line(left), "b");
  EXPECT_TRUE(left.empty());
  EXPECT_EQ(take_line(left), "");
}

TEST(TextTest, there_is_one_part_more_than_there_are_separators) {
  EXPECT_THAT(split("a,,b", ','), ElementsAre("a", "", "b"));
  EXPECT_THAT(split("a,", ','), ElementsAre("a", ""));
  EXPECT_THAT(split("", ','), ElementsAre(""));
}

TEST(TextTest, an_excerpt_is_one_short_line_of_valid_text) {
  EXPECT_EQ(excerpt("a\tb\nc"), "a b c");
  EXPECT_EQ(excerpt("abcdef", 4), "abcd...");
  EXPECT_EQ(excerpt("ab\xFF"), "ab\xEF\xBF\xBD");
}

TEST(TextTest, a_whole_number_is_the_whole_text) {
  EXPECT_EQ(parse_whole_number("-12"), -12);
  EXPECT_EQ(parse_whole_number("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(parse_whole_number("9223372036854775808"), std::nullopt);
  for (const char* text : {"", " 1", "1 ", "1x", "+1", "1.0", "0x10"}) {
    EXPECT_EQ(parse_whole_number(text), std::nullopt) << text;
  }
}

TEST(TextTest, a_number_is_finite_and_the_whole_text) {
  EXPECT_EQ(parse_number("-1.5e3"), -1500);
  for (const char* text : {"", " 1", "1 ", "1x", "nan", "inf", "1e999"}) {
    EXPECT_EQ(parse_number(text), std::nullopt) << text;
  }
}

TEST(TextTest, thousands_are_separated) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(1'000), "1,000");
  EXPECT_EQ(count_text(69'960), "69,960");
  EXPECT_EQ(count_text(1'234'567), "1,234,567");
}

TEST(TextTest, what_is_counted_is_singular_or_plural) {
  EXPECT_EQ(counted(1, "event"), "1 event");
  EXPECT_EQ(counted(0, "call"), "0 calls");
  EXPECT_EQ(counted(1'000, "event"), "1,000 events");
  EXPECT_EQ(counted(1, "launch", "launches"), "1 launch");
  EXPECT_EQ(counted(1'000, "launch", "launches"), "1,000 launches");
  EXPECT_EQ(plural(2, "entry", "entries"), "entries");
}

TEST(TextTest, three_digits_are_significant) {
  EXPECT_EQ(three_digits(0), "0.00");
  EXPECT_EQ(three_digits(1.234), "1.23");
  EXPECT_EQ(three_digits(9.996), "10.0");
  EXPECT_EQ(three_digits(-94.24), "-94.2");
  EXPECT_EQ(three_digits(-1250), "-1,250");
}

TEST(TextTest, a_duration_has_three_digits_and_its_unit) {
  EXPECT_EQ(duration_text(0), "0 ns");
  EXPECT_EQ(duration_text(812), "812 ns");
  EXPECT_EQ(duration_text(1'234), "1.23 us");
  EXPECT_EQ(duration_text(12'340), "12.3 us");
  EXPECT_EQ(duration_text(942'000'000), "942 ms");
  EXPECT_EQ(duration_text(17'800'000'000), "17.8 s");
  EXPECT_EQ(duration_text(1'250'000'000'000), "1,250 s");
  EXPECT_EQ(duration_text(-1'234'000), "-1.23 ms");
}

TEST(TextTest, rounding_up_carries_into_the_next_unit) {
  EXPECT_EQ(duration_text(999), "999 ns");
  EXPECT_EQ(duration_text(999'499), "999 us");
  EXPECT_EQ(duration_text(999'500), "1.00 ms");
  EXPECT_EQ(duration_text(9'994), "9.99 us");
  EXPECT_EQ(duration_text(9'996), "10.0 us");
  EXPECT_EQ(duration_text(99'960), "100 us");
  EXPECT_EQ(duration_text(INT64_MAX), "9,223,372,037 s");
  EXPECT_EQ(duration_text(INT64_MIN), "-9,223,372,037 s");
  EXPECT_EQ(mean_duration_text(1'234.6), "1.23 us");  // 1'235 ns would be 1.24 us
  EXPECT_EQ(mean_duration_text(80), "80.0 ns");       // a whole number of them would be 80 ns
  EXPECT_EQ(mean_duration_text(-80), "-80.0 ns");
  EXPECT_EQ(mean_duration_text(0), "0 ns");
}

TEST(TextTest, bytes_go_by_powers_of_1024) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(1023), "1023 B");
  EXPECT_EQ(bytes_text(1024), "1.00 KiB");
  EXPECT_EQ(bytes_text(1536), "1.50 KiB");
  EXPECT_EQ(bytes_text(6'125'780'992), "5.71 GiB");
  EXPECT_EQ(bytes_text(85'899'345'920), "80.0 GiB");
  EXPECT_EQ(bytes_text(-2'097'152), "-2.00 MiB");
}

TEST(TextTest, a_vendors_bytes_go_by_powers_of_ten) {
  EXPECT_EQ(decimal_bytes_text(512), "512 B");
  EXPECT_EQ(decimal_bytes_text(1000), "1.0 kB");
  EXPECT_EQ(decimal_bytes_text(17.18e9), "17.2 GB");
  EXPECT_EQ(decimal_bytes_text(5e15), "5000.0 TB");
}

TEST(TextTest, a_percentage_has_one_decimal_and_never_hides_a_little) {
  EXPECT_EQ(percent_text(0.096), "9.6 %");
  EXPECT_EQ(percent_text(1), "100.0 %");
  EXPECT_EQ(percent_text(8.1158), "811.6 %");
  EXPECT_EQ(percent_text(0), "0.0 %");
  EXPECT_EQ(percent_text(0.0001), "<0.1 %");
  EXPECT_EQ(percent_text(-0.25), "-25.0 %");
}

TEST(TextTest, a_rounded_number_is_the_one_that_is_printed) {
  EXPECT_EQ(rounded(1.23456, 3), 1.235);
  EXPECT_EQ(rounded(1e300, 3), 1e300);
  EXPECT_EQ(rounded_to_digits(123456.789, 6), 123457);
  EXPECT_EQ(rounded_to_digits(0.012345, 2), 0.012);
}

TEST(TextTest, a_prefix_ends_between_two_characters) {
  EXPECT_EQ(prefix_of("abc", 3), "abc");
  EXPECT_EQ(prefix_of("abc", 2), "ab");
  EXPECT_EQ(prefix_of("abc", 0), "");
  EXPECT_EQ(prefix_of("a\xC3\xA9z", 2), "a");
  EXPECT_EQ(prefix_of("a\xC3\xA9z", 3), "a\xC3\xA9");
  EXPECT_EQ(prefix_of("\xF0\x9F\x98\x80!", 3), "");
  EXPECT_EQ(prefix_of("\xF0\x9F\x98\x80!", 4), "\xF0\x9F\x98\x80");
  EXPECT_EQ(prefix_of(std::string(9, '\x80'), 6).size(), 6u) << "not UTF-8";
}

TEST(TextTest, an_excerpt_cuts_no_character) { EXPECT_EQ(excerpt("ab\xC3\xA9z", 3), "ab..."); }

TEST(TextTest, a_byte_order_mark_is_taken_off_once) {
  EXPECT_EQ(without_byte_order_mark("\xEF\xBB\xBF{}"), "{}");
  EXPECT_EQ(without_byte_order_mark("{}"), "{}");
  EXPECT_EQ(without_byte_order_mark("\xEF\xBB"), "\xEF\xBB");
}

}  // namespace
}  // namespace strobe
