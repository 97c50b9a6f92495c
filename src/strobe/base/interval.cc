#include "strobe/base/interval.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "strobe/base/natural_sort.h"

namespace strobe {
namespace {

constexpr auto starts_earlier = [](const Interval& a, const Interval& b) {
  return a.start_ns < b.start_ns;
};

// Joins a list sorted by start, in place.
IntervalSet join_sorted(std::vector<Interval> intervals) {
  if (intervals.empty()) return intervals;
  std::size_t last = 0;
  for (std::size_t i = 1; i < intervals.size(); ++i) {
    const Interval next = intervals[i];
    if (!join(intervals[last], next)) intervals[++last] = next;
  }
  intervals.resize(last + 1);
  return intervals;
}

}  // namespace

IntervalSet union_of(std::vector<Interval> intervals) {
  // Most lists are a few sorted lists joined together, one per thread or stream.
  natural_sort(intervals, starts_earlier);
  return join_sorted(std::move(intervals));
}

IntervalSet union_of(const IntervalSet& a, const IntervalSet& b) {
  std::vector<Interval> both;
  both.reserve(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both), starts_earlier);
  return join_sorted(std::move(both));
}

IntervalSet union_of_all(std::vector<IntervalSet> sets) {
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

IntervalSet intersection_of(const IntervalSet& a, const IntervalSet& b) {
  IntervalSet result;
  result.reserve(a.size() + b.size());  // upper bound
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const std::int64_t start_ns = std::max(a[i].start_ns, b[j].start_ns);
    const std::int64_t end_ns = std::min(a[i].end_ns, b[j].end_ns);
    if (start_ns < end_ns) result.push_back({start_ns, end_ns});
    if (a[i].end_ns < b[j].end_ns) {
      ++i;
    } else {
      ++j;
    }
  }
  return result;
}

IntervalSet difference_of(const IntervalSet& a, const IntervalSet& b) {
  IntervalSet result;
  result.reserve(a.size() + b.size());  // upper bound
  std::size_t j = 0;
  for (Interval rest : a) {
    while (j < b.size() && b[j].end_ns <= rest.start_ns) ++j;
    for (std::size_t k = j; k < b.size() && b[k].start_ns < rest.end_ns; ++k) {
      if (b[k].start_ns > rest.start_ns) result.push_back({rest.start_ns, b[k].start_ns});
      rest.start_ns = std::max(rest.start_ns, b[k].end_ns);
    }
    if (rest.start_ns < rest.end_ns) result.push_back(rest);
  }
  return result;
}

std::int64_t total_ns(const IntervalSet& set) {
  std::int64_t sum_ns = 0;
  for (const Interval& interval : set) sum_ns += interval.length_ns();
  return sum_ns;
}

}  // namespace strobe
