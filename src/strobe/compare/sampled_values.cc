#include "strobe/compare/sampled_values.h"

namespace strobe::compare {

void SampledValues::add(double value, std::size_t sample) {
  if (is_new_run_ || sample != last_sample_) groups_.emplace_back();
  is_new_run_ = false;
  last_sample_ = sample;
  values_.push_back(value);
  groups_.back().sum += value;
  ++groups_.back().cycles;
}

std::vector<double> SampledValues::by_sample() const {
  std::vector<double> means;
  for (const Group& group : groups_) {
    means.push_back(group.sum / static_cast<double>(group.cycles));
  }
  return means;
}

std::optional<Change> change_by_sample(const SampledValues& normal, const SampledValues& abnormal,
                                       stats::RankCounts* counts) {
  if (!normal.share_samples() && !abnormal.share_samples()) return std::nullopt;
  return change_between(normal.by_sample(), abnormal.by_sample(), 0, counts);
}

}  // namespace strobe::compare
