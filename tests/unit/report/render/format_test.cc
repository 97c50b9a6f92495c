#include "strobe/report/render/format.h"

#include <gmock/gmock.h>

#include <numeric>
#include <random>

namespace strobe::report {
namespace {

using ::testing::ElementsAre;

TEST(FormatTest, a_duration_has_three_digits_and_its_unit) {
  EXPECT_EQ(duration_text(0), "0 ns");
  EXPECT_EQ(duration_text(812), "812 ns");
  EXPECT_EQ(duration_text(1'234), "1.23 us");
  EXPECT_EQ(duration_text(12'340), "12.3 us");
  EXPECT_EQ(duration_text(942'000'000), "942 ms");
  EXPECT_EQ(duration_text(17'800'000'000), "17.8 s");
  EXPECT_EQ(duration_text(1'250'000'000'000), "1,250 s");
  EXPECT_EQ(duration_text(-1'234'000), "-1.23 ms");
}

TEST(FormatTest, rounding_up_carries_into_the_next_unit) {
  EXPECT_EQ(duration_text(999), "999 ns");
  EXPECT_EQ(duration_text(999'499), "999 us");
  EXPECT_EQ(duration_text(999'500), "1.00 ms");
  EXPECT_EQ(duration_text(9'994), "9.99 us");
  EXPECT_EQ(duration_text(9'996), "10.0 us");
  EXPECT_EQ(duration_text(99'960), "100 us");
  EXPECT_EQ(duration_text(INT64_MAX), "9,223,372,037 s");
  EXPECT_EQ(duration_text(INT64_MIN), "-9,223,372,037 s");
}

TEST(FormatTest, bytes_go_by_powers_of_1024) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(1023), "1023 B");
  EXPECT_EQ(bytes_text(1024), "1.00 KiB");
  EXPECT_EQ(bytes_text(1536), "1.50 KiB");
  EXPECT_EQ(bytes_text(85'899'345'920), "80.0 GiB");
  EXPECT_EQ(bytes_text(-2'097'152), "-2.00 MiB");
}

TEST(FormatTest, thousands_are_separated) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(1'000), "1,000");
  EXPECT_EQ(count_text(1'234'567), "1,234,567");
}

TEST(FormatTest, a_percentage_has_one_decimal_and_never_hides_a_little) {
  EXPECT_EQ(percent_text(0.096), "9.6 %");
  EXPECT_EQ(percent_text(1), "100.0 %");
  EXPECT_EQ(percent_text(8.1158), "811.6 %");
  EXPECT_EQ(percent_text(0), "0.0 %");
  EXPECT_EQ(percent_text(0.0001), "<0.1 %");
  EXPECT_EQ(percent_text(-0.25), "-25.0 %");
}

// A third thrice is 33.3 % thrice, one tenth short: the first of the equal remainders gets it.
TEST(FormatTest, balanced_shares_add_up_to_a_hundred_percent) {
  EXPECT_THAT(balanced_permille({1 / 3.0, 1 / 3.0, 1 / 3.0}), ElementsAre(334, 333, 333));
  EXPECT_THAT(balanced_permille({0.5, 0.5}), ElementsAre(500, 500));
  EXPECT_THAT(balanced_permille({}), ElementsAre());
}

TEST(FormatTest, balancing_moves_no_share_by_a_whole_tenth) {
  std::mt19937 random(3);
  std::exponential_distribution<double> part;
  for (int round = 0; round < 500; ++round) {
    std::vector<double> shares(1 + static_cast<std::size_t>(round) % 12);
    for (double& share : shares) share = part(random);
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (double& share : shares) share /= sum;
    const auto permille = balanced_permille(shares);
    EXPECT_EQ(std::accumulate(permille.begin(), permille.end(), std::int64_t{0}), 1000);
    for (std::size_t i = 0; i < shares.size(); ++i) {
      EXPECT_LT(std::abs(static_cast<double>(permille[i]) - shares[i] * 1000), 1.0);
    }
  }
}

TEST(FormatTest, a_unit_asked_for_has_a_fixed_number_of_decimals) {
  using analysis::TimeUnit;
  EXPECT_EQ(duration_text(1'234'567'890, TimeUnit::kSeconds), "1.234568 s");
  EXPECT_EQ(duration_text(1'234'567'890, TimeUnit::kMilliseconds), "1234.568 ms");
  EXPECT_EQ(duration_text(812, TimeUnit::kMicroseconds), "0.812 us");
  EXPECT_EQ(duration_text(812, TimeUnit::kNanoseconds), "812 ns");
  EXPECT_EQ(duration_text(0, TimeUnit::kMilliseconds), "0.000 ms");
  EXPECT_EQ(duration_text(400, TimeUnit::kMilliseconds), "<0.001 ms");
  EXPECT_EQ(duration_text(812, std::nullopt), "812 ns");
}

TEST(FormatTest, what_is_counted_is_singular_or_plural) {
  EXPECT_EQ(counted(1, "event"), "1 event");
  EXPECT_EQ(counted(1'000, "event"), "1,000 events");
}

}  // namespace
}  // namespace strobe::report
