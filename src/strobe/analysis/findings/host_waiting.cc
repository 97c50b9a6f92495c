#include "strobe/analysis/findings/host_waiting.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

#include "strobe/analysis/findings/host_moments.h"
#include "strobe/analysis/waits/interval_parts.h"

namespace strobe::analysis {
namespace {

using device::RuntimeCall;

constexpr std::int64_t kBlockingCopyNs = 100'000;
constexpr std::int64_t kShortestWaitNs = 20'000;
constexpr std::int64_t kRightAfterNs = 20'000;

// Per track: it launches. If no thread does, all of them count.
std::vector<char> find_launching_tracks(const Trace& trace, const RuntimeCalls& calls) {
  std::vector<char> launching(trace.tracks().size(), calls.launches.empty() ? 1 : 0);
  for (const SliceId call : calls.launches) {
    launching[trace.slices().tracks[call.index()].index()] = 1;
  }
  return launching;
}

// Only by track and end do they come in an order that a gap can search.
void sort_by_end(const Trace& trace, std::vector<SliceId>& calls) {
  std::sort(calls.begin(), calls.end(), [&](SliceId a, SliceId b) {
    return std::tuple(trace.slices().tracks[a.index()].value, trace.end_ns(a)) <
           std::tuple(trace.slices().tracks[b.index()].value, trace.end_ns(b));
  });
}

std::vector<SliceId> list_waits(const Trace& trace, const RuntimeCalls& calls,
                                const IntervalSet& busy) {
  const std::vector<char> launching = find_launching_tracks(trace, calls);
  const auto launches = [&](SliceId call) {
    return launching[trace.slices().tracks[call.index()].index()] != 0;
  };
  std::vector<SliceId> waits;
  std::copy_if(calls.synchronising.begin(), calls.synchronising.end(), std::back_inserter(waits),
               launches);
  OverlapCursor working(busy);
  for (const SliceId copy : calls.long_copies) {
    const Interval interval = trace.interval(copy);
    if (!launches(copy) || 2 * working.overlap_ns(interval) < interval.length_ns()) continue;
    waits.push_back(copy);
  }
  sort_by_end(trace, waits);
  return waits;
}

struct NamedWaits {
  std::int64_t inside_ns = 0;
  Interval longest;
};

void name_the_longest(const Trace& trace, const Summary& summary, const IntervalSet& whole,
                      HostWaiting& waiting) {
  std::map<std::string_view, NamedWaits> by_name;
  OverlapCursor inside(whole);
  for (const SliceId wait : waiting.waits) {
    const std::int64_t inside_ns = inside.overlap_ns(trace.interval(wait));
    NamedWaits& named = by_name[trace.name(wait)];
    named.inside_ns += inside_ns;
    if (trace.duration_ns(wait) > named.longest.length_ns()) named.longest = trace.interval(wait);
    if (inside_ns >= kShortestWaitNs) ++waiting.calls;
  }
  const auto most = std::max_element(by_name.begin(), by_name.end(), [](auto& a, auto& b) {
    return a.second.inside_ns < b.second.inside_ns;
  });
  if (most == by_name.end()) return;
  waiting.longest = std::string(most->first);
  for (const RuntimeCallRow& row : summary.waits.calls) {
    if (row.name != waiting.longest || row.longest != most->second.longest) continue;
    waiting.longest_inside = row.longest_inside;
    waiting.longest_source = row.longest_source;
  }
}

// The wait that was open when the gap began, or had just ended, and was over before the launch.
SliceId draining_wait(const Trace& trace, const std::vector<SliceId>& waits, const DeviceGap& gap,
                      SliceId launch) {
  const TrackId track = trace.slices().tracks[launch.index()];
  const std::int64_t launch_ns = trace.start_ns(launch);
  auto next = std::upper_bound(waits.begin(), waits.end(), launch, [&](SliceId, SliceId wait) {
    const TrackId other = trace.slices().tracks[wait.index()];
    return std::tuple(track.value, launch_ns) < std::tuple(other.value, trace.end_ns(wait));
  });
  SliceId drain;
  while (next != waits.begin()) {
    const SliceId wait = *--next;
    if (trace.slices().tracks[wait.index()] != track) break;
    if (trace.end_ns(wait) + kRightAfterNs < gap.interval.start_ns) break;
    const bool was_open = trace.start_ns(wait) < gap.interval.start_ns;
    const bool is_longer = !drain.valid() || trace.duration_ns(wait) > trace.duration_ns(drain);
    if (was_open && is_longer) drain = wait;
  }
  return drain;
}

void name_the_drain(const Trace& trace, const Summary& summary,
                    const std::vector<HostMoment>& moments, const std::vector<SliceId>& calls,
                    QueueDrains& drains) {
  std::map<std::string_view, std::int64_t> by_name;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    by_name[trace.name(calls[i])] += moments[i].weight_ns;
  }
  const auto most = std::max_element(by_name.begin(), by_name.end(),
                                     [](auto& a, auto& b) { return a.second < b.second; });
  drains.call = std::string(most->first);
  std::vector<HostMoment> of_name;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (trace.name(calls[i]) == most->first) of_name.push_back(moments[i]);
  }
  drains.inside = operator_around(trace, std::move(of_name)).name;
  for (const RuntimeCallRow& row : summary.waits.calls) {
    if (row.name == drains.call && row.longest_inside == drains.inside) {
      drains.source = row.longest_source;
    }
  }
}

}  // namespace

void RuntimeCalls::add(const Trace& trace, SliceId slice, RuntimeCall purpose) {
  const std::uint32_t correlation = trace.slices().correlations[slice.index()];
  if (correlation != kNoLaunchId) by_correlation.emplace_back(correlation, slice);
  if (purpose == RuntimeCall::kLaunch) launches.push_back(slice);
  if (purpose == RuntimeCall::kSynchronize) synchronising.push_back(slice);
  if (purpose == RuntimeCall::kCopy && trace.duration_ns(slice) > kBlockingCopyNs) {
    long_copies.push_back(slice);
  }
}

void RuntimeCalls::sort() {
  const auto is_smaller = [](const auto& a, const auto& b) { return a.first < b.first; };
  if (!std::is_sorted(by_correlation.begin(), by_correlation.end(), is_smaller)) {
    std::stable_sort(by_correlation.begin(), by_correlation.end(), is_smaller);
  }
}

SliceId RuntimeCalls::call_of(const Trace& trace, SliceId work) const {
  const std::uint32_t correlation = trace.slices().correlations[work.index()];
  if (correlation == kNoLaunchId) return {};
  const auto after = std::upper_bound(
      by_correlation.begin(), by_correlation.end(), correlation,
      [](std::uint32_t wanted, const auto& entry) { return wanted < entry.first; });
  if (after == by_correlation.begin() || std::prev(after)->first != correlation) return {};
  return std::prev(after)->second;
}

HostWaiting measure_waiting(const Trace& trace, const Summary& summary, const RuntimeCalls& calls,
                            const IntervalSet& busy, const IntervalSet& whole) {
  HostWaiting waiting;
  waiting.waits = list_waits(trace, calls, busy);
  std::vector<Interval> intervals;
  intervals.reserve(waiting.waits.size());
  for (const SliceId wait : waiting.waits) intervals.push_back(trace.interval(wait));
  const IntervalSet all = union_of(std::move(intervals));
  const IntervalSet inside = intersection_of(all, whole);
  waiting.inside_ns = total_ns(inside);
  waiting.outside_ns = total_ns(all) - waiting.inside_ns;
  waiting.device_idle_ns = total_ns(difference_of(inside, busy));
  name_the_longest(trace, summary, whole, waiting);
  return waiting;
}

QueueDrains measure_drains(const Trace& trace, const Summary& summary, const RuntimeCalls& calls,
                           const HostWaiting& waiting, const std::vector<DeviceGap>& gaps,
                           std::int64_t whole_ns) {
  QueueDrains drains;
  std::vector<HostMoment> moments;
  std::vector<SliceId> draining;
  for (const DeviceGap& gap : gaps) {
    if (gap.inside_ns == 0) continue;
    const SliceId launch = calls.call_of(trace, gap.next_work);
    if (!launch.valid()) continue;
    const SliceId wait = draining_wait(trace, waiting.waits, gap, launch);
    if (!wait.valid()) continue;
    ++drains.gaps;
    drains.idle_ns += gap.inside_ns;
    drains.waited_ns += trace.duration_ns(wait);
    draining.push_back(wait);
    moments.push_back({trace.slices().tracks[wait.index()], trace.start_ns(wait), gap.inside_ns});
  }
  const bool is_worth_it = !draining.empty() && 20 * drains.idle_ns >= whole_ns;
  if (is_worth_it) name_the_drain(trace, summary, moments, draining, drains);
  return drains;
}

}  // namespace strobe::analysis
