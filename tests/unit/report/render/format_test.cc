#include "strobe/report/render/format.h"

#include <gmock/gmock.h>

#include <numeric>
#include <random>

namespace strobe::report {
namespace {

using ::testing::ElementsAre;

// Three thirds of 33.3 % each are one tenth short: the first of the equal remainders gets it.
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

}  // namespace
}  // namespace strobe::report
