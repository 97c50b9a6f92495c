#include "strobe/stats/mean_test.h"

#include <cmath>
#include <limits>

#include "strobe/stats/tails.h"

namespace strobe::stats {

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

MeanTest tested(double difference, double error, double degrees) {
  MeanTest test;
  test.t = difference / error;  // 0/0 is NaN
  test.degrees = degrees;
  test.p = std::isinf(test.t) ? 0 : student_tails(test.t, degrees);
  return test;
}

}  // namespace

MeanTest welch_test(const Moments& first, const Moments& second) {
  if (first.n < 2 || second.n < 2) return {kNan, kNan, kNan};
  const auto n1 = static_cast<double>(first.n);
  const auto n2 = static_cast<double>(second.n);
  const double variance1 = first.deviation * first.deviation / n1;
  const double variance2 = second.deviation * second.deviation / n2;
  const double variance = variance1 + variance2;
  // Welch and Satterthwaite's, in shares of the variance: their squares cannot underflow.
  const double share1 = variance1 / variance;
  const double share2 = variance2 / variance;
  const double degrees = 1 / (share1 * share1 / (n1 - 1) + share2 * share2 / (n2 - 1));
  return tested(first.mean - second.mean, std::sqrt(variance), degrees);
}

MeanTest student_test(const Moments& first, const Moments& second) {
  const auto n1 = static_cast<double>(first.n);
  const auto n2 = static_cast<double>(second.n);
  const double degrees = n1 + n2 - 2;
  if (first.n < 2 || second.n < 2) return {kNan, degrees, kNan};
  const double pooled = ((n1 - 1) * first.deviation * first.deviation +
                         (n2 - 1) * second.deviation * second.deviation) /
                        degrees;
  return tested(first.mean - second.mean, std::sqrt(pooled * (1 / n1 + 1 / n2)), degrees);
}

}  // namespace strobe::stats
