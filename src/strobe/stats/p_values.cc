#include "strobe/stats/p_values.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/erf.hpp>

namespace strobe::stats {
namespace {

namespace policies = boost::math::policies;

// Plain doubles: if long double is emulated, promotion is thirty times slower. Never throws.
using Policy = policies::policy<
    policies::promote_double<false>, policies::domain_error<policies::ignore_error>,
    policies::pole_error<policies::ignore_error>, policies::overflow_error<policies::ignore_error>,
    policies::evaluation_error<policies::ignore_error>>;

}  // namespace

double normal_tails(double z) { return std::erfc(std::abs(z) / std::numbers::sqrt2); }

double student_tails(double t, double degrees) {
  if (std::isnan(t) || !(degrees > 0)) return kNan;
  const boost::math::students_t_distribution<double, Policy> distribution(degrees);
  return 2 * boost::math::cdf(boost::math::complement(distribution, std::abs(t)));
}

double student_t(double tails, double degrees) {
  if (!(degrees > 0)) return kNan;
  const boost::math::students_t_distribution<double, Policy> distribution(degrees);
  return boost::math::quantile(boost::math::complement(distribution, tails / 2));
}

double normal_z(double tails) {
  return std::numbers::sqrt2 * boost::math::erfc_inv(tails, Policy());
}

MeanTest welch_test(const Moments& first, const Moments& second) {
  if (first.n < 2 || second.n < 2) return {kNan, kNan, kNan};
  const auto n1 = static_cast<double>(first.n);
  const auto n2 = static_cast<double>(second.n);
  const double variance1 = first.deviation * first.deviation / n1;
  const double variance2 = second.deviation * second.deviation / n2;
  const double variance = variance1 + variance2;
  // Welch and Satterthwaite's, from shares of the variance: their squares cannot underflow.
  const double share1 = variance1 / variance;
  const double share2 = variance2 / variance;
  const double degrees = 1 / (share1 * share1 / (n1 - 1) + share2 * share2 / (n2 - 1));
  MeanTest test;
  test.t = (first.mean - second.mean) / std::sqrt(variance);  // 0/0 is NaN
  test.degrees = degrees;
  test.p = std::isinf(test.t) ? 0 : student_tails(test.t, degrees);
  return test;
}

std::vector<double> adjusted_p(std::span<const double> p) {
  std::vector<double> q(p.begin(), p.end());
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (!std::isnan(p[i])) order.push_back(i);
  }
  std::ranges::sort(order, {}, [&](std::size_t i) { return p[i]; });
  double least = 1;
  for (std::size_t rank = order.size(); rank > 0; --rank) {
    const std::size_t i = order[rank - 1];
    least = std::min(least, p[i] * static_cast<double>(order.size()) / static_cast<double>(rank));
    q[i] = least;
  }
  return q;
}

}  // namespace strobe::stats
