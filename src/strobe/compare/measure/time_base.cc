#include "strobe/compare/measure/time_base.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace strobe::compare {
namespace {

// Samples inside the range; a sampler so slow that all its samples surround the range counts as
// one.
std::size_t fit(const std::vector<std::int64_t>& times_ns, Interval range) {
  const auto first = std::lower_bound(times_ns.begin(), times_ns.end(), range.start_ns);
  const auto last = std::upper_bound(first, times_ns.end(), range.end_ns);
  if (first != last) return static_cast<std::size_t>(last - first);
  return first != times_ns.begin() && last != times_ns.end() ? 1 : 0;
}

double seconds(std::int64_t ns) { return static_cast<double>(ns) * 1e-9; }

}  // namespace

SeriesClock clock_of(const MetricSeries& series, Interval extent, std::int64_t base_time_ns) {
  const std::size_t as_it_stands = fit(series.times_ns, extent);
  const std::size_t on_the_wall =
      base_time_ns == 0
          ? 0
          : fit(series.times_ns, {extent.start_ns + base_time_ns, extent.end_ns + base_time_ns});
  if (as_it_stands == 0 && on_the_wall == 0) return {TimeBase::kNoOverlap, 0};
  if (as_it_stands >= on_the_wall) return {TimeBase::kTrace, 0};
  return {TimeBase::kWallClock, -base_time_ns};
}

std::string no_overlap_remark(const std::string& whose, Interval samples, Interval extent,
                              std::int64_t base_time_ns) {
  std::string remark = fmt::format(
      "{}: the samples ({:.3f} s to {:.3f} s) do not overlap the trace ({:.3f} s to {:.3f} s",
      whose, seconds(samples.start_ns), seconds(samples.end_ns), seconds(extent.start_ns),
      seconds(extent.end_ns));
  if (base_time_ns != 0) {
    remark +=
        fmt::format(", on the wall clock {:.3f} s to {:.3f} s",
                    seconds(extent.start_ns + base_time_ns), seconds(extent.end_ns + base_time_ns));
  }
  return remark + "); no means are given";
}

}  // namespace strobe::compare
