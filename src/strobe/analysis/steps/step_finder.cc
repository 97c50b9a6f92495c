#include "strobe/analysis/steps/step_finder.h"

#include <algorithm>
#include <limits>

namespace strobe::analysis {

StepFinder::StepFinder(const std::vector<Step>& steps) : steps_(&steps) {
  std::int64_t latest_ns = std::numeric_limits<std::int64_t>::min();
  for (const Step& step : steps) {
    latest_ns = std::max(latest_ns, step.interval.end_ns);
    latest_ends_ns_.push_back(latest_ns);
  }
}

const Step* StepFinder::at(std::int64_t time_ns, StringId process) const {
  const auto after = std::upper_bound(
      steps_->begin(), steps_->end(), time_ns,
      [](std::int64_t time, const Step& step) { return time < step.interval.start_ns; });
  for (auto i = static_cast<std::size_t>(after - steps_->begin()); i-- > 0;) {
    if (latest_ends_ns_[i] <= time_ns) break;
    const Step& step = (*steps_)[i];
    if (time_ns < step.interval.end_ns && (!process.valid() || step.process == process)) {
      return &step;
    }
  }
  return nullptr;
}

}  // namespace strobe::analysis
