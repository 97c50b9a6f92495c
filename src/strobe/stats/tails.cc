#include "strobe/stats/tails.h"

#include <cmath>
#include <limits>
#include <numbers>

#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/erf.hpp>

namespace strobe::stats {

namespace {

namespace policies = boost::math::policies;

// Plain doubles: where long double is emulated, promotion costs a factor of thirty. Nothing is
// thrown.
using Policy = policies::policy<
    policies::promote_double<false>, policies::domain_error<policies::ignore_error>,
    policies::pole_error<policies::ignore_error>, policies::overflow_error<policies::ignore_error>,
    policies::evaluation_error<policies::ignore_error>>;

}  // namespace

double normal_tails(double z) { return std::erfc(std::abs(z) / std::numbers::sqrt2); }

double student_tails(double t, double degrees) {
  if (std::isnan(t) || !(degrees > 0)) return std::numeric_limits<double>::quiet_NaN();
  const boost::math::students_t_distribution<double, Policy> distribution(degrees);
  return 2 * boost::math::cdf(boost::math::complement(distribution, std::abs(t)));
}

double normal_z(double tails) {
  return std::numbers::sqrt2 * boost::math::erfc_inv(tails, Policy());
}

}  // namespace strobe::stats
