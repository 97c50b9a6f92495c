#include "strobe/report/kernels/kernel_numbers.h"

#include <gmock/gmock.h>

namespace strobe::report {
namespace {

TEST(KernelNumbersTest, rates_have_three_digits_and_a_prefix) {
  EXPECT_EQ(flop_rate_text(635.2e12), "635 TFLOP/s");
  EXPECT_EQ(flop_rate_text(1.979e15), "1.98 PFLOP/s");
  EXPECT_EQ(byte_rate_text(4.3e12), "4.30 TB/s");
  EXPECT_EQ(byte_rate_text(999.6e9), "1.00 TB/s");
  EXPECT_EQ(byte_rate_text(12), "12.0 B/s");
}

TEST(KernelNumbersTest, what_is_unknown_is_a_dash) {
  EXPECT_EQ(flop_rate_text({}), "-");
  EXPECT_EQ(byte_rate_text({}), "-");
  EXPECT_EQ(intensity_text({}), "-");
  EXPECT_EQ(percent_of_peak_text({}), "-");
  EXPECT_EQ(ratio_text({}), "-");
  EXPECT_TRUE(std::holds_alternative<Absent>(percent_cell({})));
  EXPECT_TRUE(std::holds_alternative<Absent>(time_cell({})));
}

TEST(KernelNumbersTest, intensities_keep_three_digits_over_a_tenth) {
  EXPECT_EQ(intensity_text(183.7), "184 FLOP/byte");
  EXPECT_EQ(intensity_text(0.0421), "0.042 FLOP/byte");
  EXPECT_EQ(intensity_text(1.5), "1.50 FLOP/byte");
  EXPECT_EQ(intensity_text(12345), "12,345 FLOP/byte");
}

TEST(KernelNumbersTest, one_launch_is_singular) {
  EXPECT_EQ(launches_text(1), "1 launch");
  EXPECT_EQ(launches_text(1971), "1,971 launches");
}

TEST(KernelNumbersTest, ratios_and_clocks) {
  EXPECT_EQ(ratio_text(0.934), "0.93x");
  EXPECT_EQ(ratio_text(12.34), "12.3x");
  EXPECT_EQ(clock_text(1.98e9), "1,980 MHz");
}

TEST(KernelNumbersTest, rounding_is_that_of_decimal_texts) {
  EXPECT_EQ(rounded(24.576072, 4), 24.5761);
  EXPECT_EQ(rounded(100.0 / 3, 4), 33.3333);
}

}  // namespace
}  // namespace strobe::report
