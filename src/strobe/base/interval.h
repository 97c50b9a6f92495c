#pragma once

#include <cstdint>
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
IntervalSet intersection_of(const IntervalSet& a, const IntervalSet& b);
IntervalSet difference_of(const IntervalSet& a, const IntervalSet& b);

std::int64_t total_ns(const IntervalSet& set);

}  // namespace strobe
