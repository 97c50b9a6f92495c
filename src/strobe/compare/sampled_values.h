#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "strobe/compare/change.h"
#include "strobe/stats/rank_test.h"

namespace strobe::compare {

// The values of a metric, one per cycle, in time order. If a sampler is slower than the cycles,
// neighbouring cycles get their values from one sample: they are one observation, not several.
class SampledValues {
 public:
  // Samples of another run are other samples, whatever their numbers.
  void begin_run() { is_new_run_ = true; }
  void add(double value, std::size_t sample);

  const std::vector<double>& by_cycle() const { return values_; }
  std::vector<double> by_sample() const;  // per sample, the mean over its cycles
  bool share_samples() const { return groups_.size() < values_.size(); }

 private:
  // Cycles that share a sample.
  struct Group {
    double sum = 0;
    std::size_t cycles = 0;
  };

  std::vector<double> values_;
  std::vector<Group> groups_;
  std::size_t last_sample_ = 0;
  bool is_new_run_ = true;
};

// The change with one value per sample; nothing if every cycle has a sample of its own.
std::optional<Change> change_by_sample(const SampledValues& normal, const SampledValues& abnormal,
                                       stats::RankCounts* counts = nullptr);

}  // namespace strobe::compare
