#include "strobe/readers/counters/decimal.h"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

namespace strobe::readers {
namespace {

NumberText text_kind(std::string_view text) {
  Decimal decimal;
  return parse_decimal(text, decimal);
}

double value_of(std::string_view text, int power = 0) {
  Decimal decimal;
  EXPECT_EQ(parse_decimal(text, decimal), NumberText::kNumber) << text;
  return scaled(decimal, power);
}

TEST(Decimal, every_way_to_write_a_number_is_read) {
  EXPECT_EQ(value_of("0"), 0);
  EXPECT_EQ(value_of("535,296"), 535296);
  EXPECT_EQ(value_of("3,199,292,145.42"), 3199292145.42);
  EXPECT_EQ(value_of("768683274.02"), 768683274.02);
  EXPECT_EQ(value_of(" 42 "), 42);
  EXPECT_EQ(value_of("-1.5"), -1.5);
  EXPECT_EQ(value_of("+2.5E-3"), 0.0025);
  EXPECT_EQ(value_of("1e+05"), 100000);
  EXPECT_EQ(value_of(".5"), 0.5);
  EXPECT_EQ(value_of("12."), 12);
}

TEST(Decimal, scaling_by_powers_of_ten_rounds_once) {
  for (int i = 0; i <= 100; ++i) {
    const std::string text =
        std::to_string(i / 100) + "." + std::to_string(i % 100 / 10) + std::to_string(i % 10);
    EXPECT_EQ(value_of(text, 2), i) << text;
  }
  EXPECT_EQ(value_of("535.296000", 3), 535296);
  EXPECT_EQ(value_of("1.97", 9), 1970000000);
  EXPECT_EQ(value_of("0.1", -3), 0.0001);
}

TEST(Decimal, more_digits_than_a_double_holds_are_rounded) {
  EXPECT_EQ(value_of("0.1234567890123456789012345"), 0.1234567890123456789012345);
  EXPECT_EQ(value_of("123456789012345678901234"), 123456789012345678901234.0);
  EXPECT_TRUE(std::isinf(value_of("1e999")));
  EXPECT_EQ(value_of("1e-999"), 0);
}

TEST(Decimal, what_could_not_be_counted_is_missing) {
  for (const char* text : {"", "  ", "n/a", "N/A", "nan", "NaN", "-nan", "-"}) {
    EXPECT_EQ(text_kind(text), NumberText::kMissing) << text;
  }
}

TEST(Decimal, a_decimal_comma_is_told_from_a_thousands_separator) {
  for (const char* text :
       {"1,5", "82,55", "0,370", "1.234,56", "1.234.567", "1234,567", "0,00", "1 234,56",
        "1\xC2\xA0"
        "234,56"}) {
    EXPECT_EQ(text_kind(text), NumberText::kDecimalComma) << text;
  }
  EXPECT_EQ(value_of("82,550"), 82550);
}

TEST(Decimal, anything_else_is_no_number) {
  for (const char* text : {"abc", "12,34,567", "1.2.x", "0x10", "1e", "--1", "5 %", ",", "."}) {
    EXPECT_EQ(text_kind(text), NumberText::kOther) << text;
  }
}

}  // namespace
}  // namespace strobe::readers
