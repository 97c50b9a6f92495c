#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "strobe/base/interval.h"

namespace strobe::analysis {

// The union of intervals that are added in order of their start.
class GrowingUnion {
 public:
  void reserve(std::size_t intervals) { set_.reserve(intervals); }
  void add(Interval next) {
    if (!set_.empty() && next.start_ns <= set_.back().end_ns) {
      set_.back().end_ns = std::max(set_.back().end_ns, next.end_ns);
    } else {
      set_.push_back(next);
    }
  }
  bool empty() const { return set_.empty(); }
  const IntervalSet& set() const { return set_; }
  IntervalSet take() { return std::move(set_); }

 private:
  IntervalSet set_;
};

// Only the total length of that union.
class CoveredTime {
 public:
  void add(Interval next) {
    total_ns_ += std::max<std::int64_t>(0, next.end_ns - std::max(next.start_ns, end_ns_));
    end_ns_ = std::max(end_ns_, next.end_ns);
  }
  std::int64_t total_ns() const { return total_ns_; }

 private:
  std::int64_t end_ns_ = std::numeric_limits<std::int64_t>::min();
  std::int64_t total_ns_ = 0;
};

// Joins many sets in pairs, so that n intervals in k sets cost n log k.
inline IntervalSet union_of_all(std::vector<IntervalSet> sets) {
  if (sets.empty()) return {};
  while (sets.size() > 1) {
    std::vector<IntervalSet> fewer;
    for (std::size_t i = 0; i + 1 < sets.size(); i += 2) {
      fewer.push_back(union_of(sets[i], sets[i + 1]));
    }
    if (sets.size() % 2 == 1) fewer.push_back(std::move(sets.back()));
    sets = std::move(fewer);
  }
  return std::move(sets.front());
}

}  // namespace strobe::analysis
