#include "strobe/compare/measure/time_parts.h"

#include <algorithm>

namespace strobe::compare {

TimeParts::TimeParts(const std::vector<Interval>& parts) {
  for (const Interval& part : parts) {
    starts_ns_.push_back(part.start_ns);
    ends_ns_.push_back(part.end_ns);
  }
}

TimeParts::TimeParts(const std::vector<analysis::Cycle>& cycles) {
  for (const analysis::Cycle& cycle : cycles) {
    starts_ns_.push_back(cycle.interval.start_ns);
    ends_ns_.push_back(cycle.interval.end_ns);
  }
}

std::size_t TimeParts::search(std::int64_t time_ns) const {
  return static_cast<std::size_t>(std::upper_bound(ends_ns_.begin(), ends_ns_.end(), time_ns) -
                                  ends_ns_.begin());
}

std::vector<std::int64_t> TimeParts::covered_ns(const IntervalSet& set) const {
  std::vector<std::int64_t> covered(size());
  std::size_t near = 0;
  for (const Interval& interval : set) {
    near = first_after(interval.start_ns, near);
    for_each_piece(interval, near,
                   [&](std::size_t part, Interval piece) { covered[part] += piece.length_ns(); });
  }
  return covered;
}

}  // namespace strobe::compare
