#include "strobe/compare/between_runs.h"

#include <cmath>

#include "strobe/stats/moments.h"
#include "strobe/stats/p_values.h"

namespace strobe::compare {
namespace {

double squares_around_mean(const std::vector<double>& values) {
  const double mean = stats::moments_of(values).mean;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return squares;
}

}  // namespace

double BetweenRuns::p_of(double difference) const {
  if (deviation == 0) return difference == 0 ? 1 : 0;
  return stats::student_tails(difference / deviation, degrees);
}

double SideValues::difference() const {
  return stats::moments_of(abnormal).mean - stats::moments_of(normal).mean;
}

BetweenRuns between_runs(const SideValues& runs, double prior) {
  const auto normals = static_cast<double>(runs.normal.size());
  const auto abnormals = static_cast<double>(runs.abnormal.size());
  const double own_degrees = normals + abnormals - 2;
  const double squares = squares_around_mean(runs.normal) + squares_around_mean(runs.abnormal);
  const double usual_variance = prior * prior / 2;  // of one run
  // Runs that differ by far more than is usual are not usual ones: the prior tells less of them.
  const double excess = own_degrees > 0 ? squares / own_degrees / usual_variance : 0;
  const double prior_runs = excess > 1 ? kPriorRuns / (excess * excess) : kPriorRuns;
  const double degrees = prior_runs + own_degrees;
  const double variance = (prior_runs * usual_variance + squares) / degrees;
  return {.deviation = std::sqrt(variance * (1 / normals + 1 / abnormals)), .degrees = degrees};
}

}  // namespace strobe::compare
