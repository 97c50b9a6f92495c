#pragma once

#include <vector>

// Runs are the unit of a comparison: the cycles of one run share what made that run fast or slow.
namespace strobe::compare {

// How much two runs of one program differ when nothing was changed: deviations of the logarithm of
// the second run's value divided by the first's. perf/faults/prior computes them from the runs in
// tests/data/laboratory; docs/compare.md has the table.
inline constexpr double kHostSpeedDeviation = 0.35;    // of all calls of the host together
inline constexpr double kHostRestDeviation = 0.08;     // of the host's part of a cycle, beside that
inline constexpr double kDevicePartDeviation = 0.016;  // of the part in which the device works
// Of one function. The runs themselves show how much the speed of their hosts differs.
inline constexpr double kHostDeviation = kHostRestDeviation;
inline constexpr double kDeviceDeviation = 2 * kDevicePartDeviation;
// Programs and machines differ in their noise. This many runs of one's own tell as much about it.
inline constexpr double kPriorRuns = 8;

// One value for each run of a side.
struct SideValues {
  std::vector<double> normal = {};
  std::vector<double> abnormal = {};

  double difference() const;  // of the sides' means
};

// The noise of a difference between the means of two sides.
struct BetweenRuns {
  double deviation = 0;  // usual
  double degrees = 0;    // of freedom, of that

  // Of a difference that is no more than noise. Two-sided.
  double p_of(double difference) const;
};

// From the runs, and from `prior`: the deviation of the difference of two runs that is usual for
// such a quantity.
BetweenRuns between_runs(const SideValues& runs, double prior);

}  // namespace strobe::compare
