#include "strobe/stats/fft.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

namespace strobe::stats {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(FftTest, nothing_wraps_around_the_end) {
  // 1 * 1 + 2 * 2 + 3 * 3, 1 * 2 + 2 * 3, 1 * 3.
  EXPECT_THAT(autocorrelation(std::vector<double>{1, 2, 3}),
              ElementsAre(DoubleNear(14, 1e-13), DoubleNear(8, 1e-13), DoubleNear(3, 1e-13)));
}

TEST(FftTest, one_value_and_none_are_signals_too) {
  EXPECT_THAT(autocorrelation(std::vector<double>{3}), ElementsAre(DoubleNear(9, 1e-14)));
  EXPECT_THAT(autocorrelation({}), IsEmpty());
}

TEST(FftTest, every_length_agrees_with_adding_up_the_products) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> value(-1, 1);
  for (std::size_t n = 1; n <= 600; n = n < 40 ? n + 1 : n + 97) {
    std::vector<double> signal(n);
    for (double& x : signal) x = value(random);
    const std::vector<double> sums = autocorrelation(signal);
    ASSERT_EQ(sums.size(), n);
    for (std::size_t lag = 0; lag < n; ++lag) {
      double sum = 0;
      for (std::size_t i = 0; i + lag < n; ++i) sum += signal[i] * signal[i + lag];
      EXPECT_NEAR(sums[lag], sum, 1e-12) << n << " values, lag " << lag;
    }
  }
}

TEST(FftTest, a_long_signal_of_signs_keeps_whole_sums) {
  // Period 4: + + - -. At lag 4k all of the n - 4k products are 1, at 4k + 2 all are -1.
  std::vector<double> signal(300'000);
  for (std::size_t i = 0; i < signal.size(); ++i) signal[i] = i % 4 < 2 ? 1 : -1;
  const std::vector<double> sums = autocorrelation(signal);
  for (std::size_t lag = 0; lag < signal.size(); lag += 2) {
    const auto products = static_cast<double>(signal.size() - lag);
    ASSERT_NEAR(sums[lag], lag % 4 == 0 ? products : -products, 1e-8) << lag;
  }
}

}  // namespace
}  // namespace strobe::stats
