#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "strobe/base/interval.h"

namespace strobe::analysis {

// How much of an interval lies in a set. Queries by ascending start cost one pass over the set all
// together; another order costs a search.
class OverlapCursor {
 public:
  // The set must outlive the cursor; its intervals may touch.
  explicit OverlapCursor(const IntervalSet& set) : set_(&set) { load(); }

  std::int64_t overlap_ns(Interval interval) {
    if (current_.start_ns <= interval.start_ns && interval.end_ns <= current_.end_ns) {
      return interval.length_ns();
    }
    std::int64_t sum_ns = 0;
    parts_of(interval, [&](Interval part) { sum_ns += part.length_ns(); });
    return sum_ns;
  }
  bool holds(std::int64_t time_ns) {
    move_to(time_ns);
    return current_.start_ns <= time_ns && time_ns < current_.end_ns;
  }
  // Whether a slice is, at least in part, inside the set; one without length, where it starts.
  bool meets(Interval interval) {
    return holds(interval.start_ns) || (interval.length_ns() > 0 && first_ < set_->size() &&
                                        current_.start_ns < interval.end_ns);
  }
  // Calls `use` with each part of the interval that lies in the set.
  template <class Use>
  void parts_of(Interval interval, Use use) {
    move_to(interval.start_ns);
    for (std::size_t i = first_; i < set_->size() && (*set_)[i].start_ns < interval.end_ns; ++i) {
      use(Interval{std::max((*set_)[i].start_ns, interval.start_ns),
                   std::min((*set_)[i].end_ns, interval.end_ns)});
    }
  }

 private:
  // To the first interval that ends after the time.
  void move_to(std::int64_t time_ns) {
    if (current_.start_ns <= time_ns && time_ns < current_.end_ns) return;
    if (first_ > 0 && (*set_)[first_ - 1].end_ns > time_ns) {
      const auto found = std::upper_bound(
          set_->begin(), set_->end(), time_ns,
          [](std::int64_t limit_ns, const Interval& one) { return limit_ns < one.end_ns; });
      first_ = static_cast<std::size_t>(found - set_->begin());
    }
    while (first_ < set_->size() && (*set_)[first_].end_ns <= time_ns) ++first_;
    load();
  }
  void load() { current_ = first_ < set_->size() ? (*set_)[first_] : Interval(); }

  const IntervalSet* set_;
  std::size_t first_ = 0;
  Interval current_;  // at first_; empty after the last
};

// Of intervals that come by ascending start: the part that no earlier one covers. It may be empty.
class UncoveredPart {
 public:
  Interval of(Interval next) {
    const Interval part = {std::min(std::max(next.start_ns, end_ns_), next.end_ns), next.end_ns};
    end_ns_ = std::max(end_ns_, next.end_ns);
    return part;
  }

 private:
  std::int64_t end_ns_ = std::numeric_limits<std::int64_t>::min();
};

}  // namespace strobe::analysis
