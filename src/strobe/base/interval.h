#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace strobe {

// Half-open range of time, [start_ns, end_ns). Never negative: end_ns >= start_ns.
struct Interval {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;

  std::int64_t length_ns() const { return end_ns - start_ns; }
  bool operator==(const Interval&) const = default;
};

// Sorted by start and disjoint, with a gap between neighbours: what union_of returns and the others
// expect.
using IntervalSet = std::vector<Interval>;

// Sorts and joins; ranges that touch become one. Linear when the input is already sorted by start.
IntervalSet union_of(std::vector<Interval> intervals);

IntervalSet union_of(const IntervalSet& a, const IntervalSet& b);
// Joins many sets in pairs, so that n intervals in k sets cost n log k.
IntervalSet union_of_all(std::vector<IntervalSet> sets);
IntervalSet intersection_of(const IntervalSet& a, const IntervalSet& b);
IntervalSet difference_of(const IntervalSet& a, const IntervalSet& b);

std::int64_t total_ns(const IntervalSet& set);

// Extends `last` by `next`, which starts no earlier, if the two touch or overlap.
inline bool join(Interval& last, Interval next) {
  if (next.start_ns > last.end_ns) return false;
  last.end_ns = std::max(last.end_ns, next.end_ns);
  return true;
}

// The union of intervals that are added in order of their start.
class GrowingUnion {
 public:
  void reserve(std::size_t intervals) { set_.reserve(intervals); }
  void add(Interval next) {
    if (set_.empty() || !join(set_.back(), next)) set_.push_back(next);
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

}  // namespace strobe
