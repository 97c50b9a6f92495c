#include "strobe/tensorboard/ranges.h"

#include <algorithm>

namespace strobe::tensorboard {
namespace {

bool is_empty(const Range& range) { return range.start == range.end; }

}  // namespace

Ranges merge(Ranges ranges) {
  std::ranges::stable_sort(ranges, {}, [](const Range& range) { return range.start.value; });
  Ranges merged;
  for (const Range& range : ranges) {
    if (merged.empty()) {
      merged.push_back(range);
    } else if (range.end > merged.back().end) {
      if (range.start <= merged.back().end) {
        merged.back().end = range.end;
      } else {
        merged.push_back(range);
      }
    }
  }
  return merged;
}

Ranges subtract(const Ranges& a, const Ranges& b) {
  Ranges left;
  std::size_t first = 0;  // ranges of b before it end before all remaining ranges of a
  for (const Range& range : a) {
    while (first < b.size() && b[first].end <= range.start) ++first;
    if (is_empty(range)) {
      const bool is_inside =
          first < b.size() && b[first].start <= range.start && range.start < b[first].end;
      if (!is_inside) left.push_back(range);
      continue;
    }
    Number from = range.start;
    for (std::size_t i = first; i < b.size() && b[i].start < range.end; ++i) {
      if (from < b[i].start) {
        left.push_back({from, b[i].start});
        from = b[i].start;  // the kind with which the next piece starts if b[i] has no length
      }
      from = larger(from, b[i].end);
    }
    if (from < range.end) left.push_back({from, range.end});
  }
  return left;
}

Ranges intersect(const Ranges& a, const Ranges& b) {
  Ranges common;
  if (a.empty()) return common;
  std::size_t i = 0;
  auto j = static_cast<std::size_t>(
      std::ranges::partition_point(b, [&](const Range& y) { return y.end < a.front().start; }) -
      b.begin());
  while (i < a.size() && j < b.size()) {
    const Range& x = a[i];
    const Range& y = b[j];
    const Number start = larger(x.start, y.start);
    const Number end = smaller(x.end, y.end);
    const bool overlaps = start < end;
    const bool x_is_point_inside = is_empty(x) && y.start <= x.start && x.start < y.end;
    const bool y_is_point_inside = is_empty(y) && x.start < y.start && y.start < x.end;
    if (overlaps || x_is_point_inside || y_is_point_inside) common.push_back({start, end});
    if (x.end < y.end) {
      ++i;
    } else {
      ++j;
    }
  }
  return common;
}

Number total(const Ranges& ranges) {
  Number sum;
  for (const Range& range : ranges) sum += range.end - range.start;
  return sum;
}

}  // namespace strobe::tensorboard
