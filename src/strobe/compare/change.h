#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "strobe/stats/effect.h"
#include "strobe/stats/moments.h"
#include "strobe/stats/p_values.h"
#include "strobe/stats/rank_test.h"

namespace strobe::compare {

// A difference with a smaller p or q is more than chance.
inline constexpr double kSignificant = 0.05;

// Of the intervals of shifts.
inline constexpr double kConfidence = 0.95;

// |Cliff's delta| from here on is large: nearly all cycles of one run are above those of the other.
inline constexpr double kLargeDelta = 0.474;

// Below this drift_p a change is more than chance and drift, sure enough for a cause.
inline constexpr double kSurely = 0.03;

// One quantity, one value per cycle, in two runs. "First" is normal, "second" abnormal everywhere.
struct Change {
  stats::Moments normal;
  stats::Moments abnormal;
  // Without the wildest cycles: one of them must not make a cause or hide one.
  stats::Moments normal_core;
  stats::Moments abnormal_core;
  double normal_median = 0;
  double abnormal_median = 0;
  stats::MeanTest welch;
  stats::RankTest rank;
  double cliffs_delta = 0;
  stats::Shift shift;  // Hodges-Lehmann, with its 95 % interval; infinite ends: there is none
  // The difference of the means of the cores, with its 95 % interval. It adds up over a run, and
  // sees what strikes only some cycles. Corrected for drift; without an interval as `shift`.
  stats::Shift core_shift;
  double z = 0;
  double z_floored = 0;
  // Yuen's p, of the means of the cores, with the number of independent values: neighbouring cycles
  // are correlated while a machine drifts, so n cycles are fewer than n observations.
  double drift_p = 1;
  double independent = 1;   // the share of values that is independent
  double q = 1;             // in its family, set by the caller; NaN: not tested
  bool too_few = false;     // these sizes cannot reach p < 0.05 whatever the values
  bool degenerate = false;  // two different constants

  double difference() const { return abnormal.mean - normal.mean; }
  double core_difference() const { return abnormal_core.mean - normal_core.mean; }
  // What to print for both runs: the medians, as in the tables. If a few cycles make the change,
  // the medians hide it, and the means of the cores are printed.
  struct Typical {
    double normal = 0;
    double abnormal = 0;
    bool is_mean = false;
  };
  Typical typical() const;
  double core_ratio() const;  // abnormal / normal; NaN if normal is 0
  bool rises() const { return core_difference() > 0; }
};

// `counts` caches between calls what tests of the same sizes share.
Change change_between(std::span<const double> normal, std::span<const double> abnormal,
                      double resolution = 0, stats::RankCounts* counts = nullptr);

// The same change on the scale of log1p, for quantities that grow by factors. Results that depend
// only on the order are copied from `plain`; there is no shift (NaN).
Change log_change(const Change& plain, std::span<const double> normal,
                  std::span<const double> abnormal);

// Sets q of tests that are evaluated together, from the rank test's p. Tests with too few values to
// ever succeed are left out.
void adjust_family(const std::vector<Change*>& family);

// The mean without the wildest cycles, as in a Change.
double core_mean_of(std::span<const double> per_cycle);

}  // namespace strobe::compare
