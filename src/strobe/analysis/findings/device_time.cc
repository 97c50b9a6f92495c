#include "strobe/analysis/findings/device_time.h"

#include <algorithm>
#include <map>
#include <utility>

#include "strobe/analysis/findings/stalled_places.h"
#include "strobe/analysis/waits/interval_parts.h"

namespace strobe::analysis {
namespace {

bool has_launch(const Trace& trace, SliceId work) {
  return trace.slices().correlations[work.index()] != kNoLaunchId;
}

void sort_by_start(const Trace& trace, std::vector<SliceId>& works) {
  const auto starts_earlier = [&](SliceId a, SliceId b) {
    return trace.start_ns(a) < trace.start_ns(b);
  };
  if (!std::is_sorted(works.begin(), works.end(), starts_earlier)) {
    std::stable_sort(works.begin(), works.end(), starts_earlier);
  }
}

// Also fills the union of all work.
std::vector<DeviceGap> list_gaps(const Trace& trace, const std::vector<SliceId>& works,
                                 Interval extent, IntervalSet& busy) {
  GrowingUnion all;
  std::vector<DeviceGap> gaps;
  std::int64_t busy_until_ns = extent.start_ns;
  for (const SliceId work : works) {
    const Interval interval = trace.interval(work);
    if (interval.start_ns > busy_until_ns) {
      gaps.push_back({{busy_until_ns, interval.start_ns}, 0, work});
    } else if (!gaps.empty() && gaps.back().interval.end_ns == interval.start_ns &&
               !has_launch(trace, gaps.back().next_work)) {
      gaps.back().next_work = work;
    }
    busy_until_ns = std::max(busy_until_ns, interval.end_ns);
    all.add(interval);
  }
  busy = all.take();
  return gaps;
}

LongGaps add_up_long_gaps(const std::vector<DeviceGap>& gaps, Interval first_step) {
  LongGaps sum;
  std::vector<std::int64_t> lengths_ns;
  for (const DeviceGap& gap : gaps) {
    if (gap.interval.length_ns() < kStallNs || gap.inside_ns == 0) continue;
    ++sum.gaps;
    sum.inside_ns += gap.inside_ns;
    lengths_ns.push_back(gap.interval.length_ns());
    const bool is_first =
        gap.interval.start_ns >= first_step.start_ns && gap.interval.end_ns <= first_step.end_ns;
    if (is_first) sum.in_first_step_ns += gap.inside_ns;
  }
  if (lengths_ns.empty()) return sum;
  const auto middle = lengths_ns.begin() + static_cast<std::ptrdiff_t>(lengths_ns.size() / 2);
  std::nth_element(lengths_ns.begin(), middle, lengths_ns.end());
  sum.median_ns = *middle;
  return sum;
}

DeviceTurns measure_turns(const Trace& trace, const std::vector<SliceId>& works,
                          const IntervalSet& whole) {
  std::map<std::int32_t, GrowingUnion> by_device;
  for (const SliceId work : works) {
    by_device[trace.track(work).device.value_or(0)].add(trace.interval(work));
  }
  DeviceTurns turns;
  if (by_device.size() < 2) return turns;
  IntervalSet any;
  IntervalSet several;
  std::vector<std::int64_t> busy_ns;
  for (const auto& [device, busy] : by_device) {
    const IntervalSet inside = intersection_of(busy.set(), whole);
    busy_ns.push_back(total_ns(inside));
    several = union_of(several, intersection_of(any, inside));
    any = union_of(any, inside);
  }
  turns.any_ns = total_ns(any);
  turns.several_ns = total_ns(several);
  turns.devices = static_cast<std::uint64_t>(std::count_if(
      busy_ns.begin(), busy_ns.end(), [&](std::int64_t ns) { return 5 * ns >= turns.any_ns; }));
  return turns;
}

}  // namespace

DeviceTime measure_device_time(const Trace& trace, std::vector<SliceId> works, Interval extent,
                               const IntervalSet& whole, Interval first_step) {
  DeviceTime time;
  sort_by_start(trace, works);
  time.gaps = list_gaps(trace, works, extent, time.busy);
  OverlapCursor inside(whole);
  for (DeviceGap& gap : time.gaps) gap.inside_ns = inside.overlap_ns(gap.interval);
  time.long_gaps = add_up_long_gaps(time.gaps, first_step);
  time.turns = measure_turns(trace, works, whole);
  return time;
}

}  // namespace strobe::analysis
