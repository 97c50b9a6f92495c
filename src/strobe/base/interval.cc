#include "strobe/base/interval.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace strobe {
namespace {

bool starts_earlier(const Interval& a, const Interval& b) { return a.start_ns < b.start_ns; }

// Most lists are a few sorted lists joined together, one per thread or stream. Merging those is
// several times cheaper than sorting. A list with many short runs is treated as unsorted.
void sort_by_start(std::vector<Interval>& intervals) {
  constexpr std::size_t kMostRuns = 256;
  std::vector<std::size_t> runs{0};  // where the runs begin, and the end
  for (std::size_t i = 1; i < intervals.size() && runs.size() <= kMostRuns; ++i) {
    if (starts_earlier(intervals[i], intervals[i - 1])) runs.push_back(i);
  }
  if (runs.size() > kMostRuns) {
    std::sort(intervals.begin(), intervals.end(), starts_earlier);
    return;
  }
  runs.push_back(intervals.size());
  const auto at = [&](std::size_t i) { return intervals.begin() + static_cast<std::ptrdiff_t>(i); };
  while (runs.size() > 2) {
    std::vector<std::size_t> merged;
    for (std::size_t run = 0; run + 2 < runs.size(); run += 2) {
      std::inplace_merge(at(runs[run]), at(runs[run + 1]), at(runs[run + 2]), starts_earlier);
    }
    for (std::size_t run = 0; run < runs.size(); run += 2) merged.push_back(runs[run]);
    if (merged.back() != intervals.size()) merged.push_back(intervals.size());
    runs = std::move(merged);
  }
}

// Joins a list sorted by start, in place.
IntervalSet join_sorted(std::vector<Interval> intervals) {
  if (intervals.empty()) return intervals;
  std::size_t last = 0;
  for (std::size_t i = 1; i < intervals.size(); ++i) {
    const Interval next = intervals[i];
    if (next.start_ns <= intervals[last].end_ns) {
      intervals[last].end_ns = std::max(intervals[last].end_ns, next.end_ns);
    } else {
      intervals[++last] = next;
    }
  }
  intervals.resize(last + 1);
  return intervals;
}

}  // namespace

IntervalSet union_of(std::vector<Interval> intervals) {
  sort_by_start(intervals);
  return join_sorted(std::move(intervals));
}

IntervalSet union_of(const IntervalSet& a, const IntervalSet& b) {
  std::vector<Interval> both;
  both.reserve(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both), starts_earlier);
  return join_sorted(std::move(both));
}

IntervalSet intersection_of(const IntervalSet& a, const IntervalSet& b) {
  IntervalSet result;
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
