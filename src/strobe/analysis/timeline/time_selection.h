#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "strobe/base/interval.h"

namespace strobe::analysis {

// Which part of a trace is asked about: what starts inside certain intervals, or everything.
class TimeSelection {
 public:
  TimeSelection() = default;
  explicit TimeSelection(IntervalSet intervals) : intervals_(std::move(intervals)) {}

  bool is_everything() const { return !intervals_; }
  bool holds(std::int64_t start_ns) const {
    if (!intervals_) return true;
    const auto after = std::upper_bound(
        intervals_->begin(), intervals_->end(), start_ns,
        [](std::int64_t time_ns, const Interval& interval) { return time_ns < interval.start_ns; });
    return after != intervals_->begin() && start_ns < (after - 1)->end_ns;
  }

 private:
  std::optional<IntervalSet> intervals_;
};

}  // namespace strobe::analysis
