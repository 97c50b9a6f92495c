#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "strobe/base/interval.h"

namespace strobe::analysis {

// The union of intervals that come in order of their start, joined as they come.
class GrowingUnion {
 public:
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

// Joins many sets, two by two, so that n intervals in k sets cost n log k.
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
