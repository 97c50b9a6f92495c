#include "strobe/report/compare/compare_numbers.h"

#include <gtest/gtest.h>

#include <limits>

namespace strobe::report {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(CompareNumbersTest, times_have_three_digits_and_the_unit_that_fits) {
  EXPECT_EQ(time_text(20.266), "20.3 ms");
  EXPECT_EQ(time_text(750.054), "750 ms");
  EXPECT_EQ(time_text(0.0123), "12.3 us");
  EXPECT_EQ(time_text(0.000087), "87.0 ns");
  EXPECT_EQ(time_text(1250), "1.25 s");
  EXPECT_EQ(time_text(999.6), "1.00 s");
  EXPECT_EQ(time_text(0), "0");
  EXPECT_EQ(time_text(kNan), "-");
}

TEST(CompareNumbersTest, a_change_has_its_sign) {
  EXPECT_EQ(time_change_text(44.05), "+44.0 ms");
  EXPECT_EQ(time_change_text(-0.5), "-500 us");
  EXPECT_EQ(ms_change_text(0.00002), "0.0000");
  EXPECT_EQ(percent_change_text(35, 750), "+4.7 %");
  EXPECT_EQ(percent_change_text(-3000, 1500), "-200 %");
  EXPECT_EQ(percent_change_text(1, 0), "-");
}

TEST(CompareNumbersTest, both_ends_of_an_interval_have_one_unit) {
  EXPECT_EQ(time_interval_text({0, -0.62, 12.34}), "-0.6 to +12.3 ms");
  EXPECT_EQ(time_interval_text({0, 0.001, 0.002}), "+1.00 to +2.00 us");
  EXPECT_EQ(time_interval_text({0, -kInfinity, kInfinity}), "none");
  EXPECT_FALSE(has_interval({0, -kInfinity, kInfinity}));
  EXPECT_TRUE(has_interval({0, -1, 1}));
  EXPECT_EQ(ms_interval_text({0, 43.08, 47.2}), "+43.1, +47.2");
}

TEST(CompareNumbersTest, metrics_keep_the_unit_they_are_known_by) {
  EXPECT_EQ(quantity_text(1155, "MHz"), "1,155 MHz");
  EXPECT_EQ(quantity_text(6.317, "%"), "6.32 %");
  EXPECT_EQ(quantity_text(517048514.3, "B/s"), "517 MB/s");
  EXPECT_EQ(quantity_text(3, ""), "3");
  EXPECT_EQ(quantity_text(kNan, "%"), "-");
}

TEST(CompareNumbersTest, percentages_differ_by_points) {
  EXPECT_EQ(quantity_change_text(14, "%"), "+14 ppt");
  EXPECT_EQ(quantity_interval_text({14, 13.5, 14.5}, "%"), "+13.5 to +14.5 ppt");
  EXPECT_EQ(quantity_interval_text({0, -945, -940}, "MHz"), "-945 to -940 MHz");
}

TEST(CompareNumbersTest, small_probabilities_are_bounds) {
  EXPECT_EQ(p_text(0.0000056), "<0.001");
  EXPECT_EQ(p_text(0.0234), "0.023");
  EXPECT_EQ(p_text(0.575), "0.57");
  EXPECT_EQ(p_text(1), "1.00");
  EXPECT_EQ(p_text(kNan), "-");
}

TEST(CompareNumbersTest, effects_have_the_usual_bands) {
  EXPECT_EQ(band_of(0.146), "negligible");
  EXPECT_EQ(band_of(-0.147), "small");
  EXPECT_EQ(band_of(0.33), "medium");
  EXPECT_EQ(band_of(-0.474), "large");
}

}  // namespace
}  // namespace strobe::report
