#include "strobe/report/compare/compat_cells.h"

#include <gtest/gtest.h>

#include <limits>

namespace strobe::report {
namespace {

TEST(CompatCellsTest, a_number_is_rounded_to_decimals_and_then_to_six_digits) {
  EXPECT_EQ(rounded_twice(1561.72151, 4), "1561.72");
  EXPECT_EQ(rounded_twice(0.1, 2), "0.1");
  EXPECT_EQ(rounded_twice(-0.001, 2), "-0");
  EXPECT_EQ(rounded_twice(1, 3), "1");
  EXPECT_EQ(rounded_twice(66881236.51, 2), "6.68812e+07");
  EXPECT_EQ(rounded_twice(-std::numeric_limits<double>::quiet_NaN(), 3), "nan");
}

TEST(CompatCellsTest, thousands_are_set_off_on_both_sides_of_zero) {
  EXPECT_EQ(with_thousands(999), "999.00");
  EXPECT_EQ(with_thousands(1000), "1,000.00");
  EXPECT_EQ(with_thousands(-123456.789), "-123,456.79");
  EXPECT_EQ(with_thousands(-999.5), "-999.50");
  EXPECT_EQ(with_thousands(1234567890), "1,234,567,890.00");
}

TEST(CompatCellsTest, a_change_always_has_its_sign) {
  EXPECT_EQ(signed_percent(4.659), "+4.66%");
  EXPECT_EQ(signed_percent(-0.31), "-0.31%");
}

TEST(CompatCellsTest, the_shortest_text_of_a_whole_number_keeps_a_zero) {
  EXPECT_EQ(shortest(762219), "762219.0");
  EXPECT_EQ(shortest(1001081.25), "1001081.25");
  EXPECT_EQ(shortest(0.001), "0.001");
}

}  // namespace
}  // namespace strobe::report
