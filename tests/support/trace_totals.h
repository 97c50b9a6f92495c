#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "strobe/trace/trace.h"

// What a trace holds, counted in the plainest way.
namespace strobe::testing {

struct Total {
  std::uint64_t count = 0;
  std::int64_t total_ns = 0;
  bool operator==(const Total&) const = default;
};

inline Total total_of(const Trace& trace, SliceKind kind) {
  Total total;
  for (std::size_t row = 0; row < trace.slice_count(); ++row) {
    if (trace.slices().kinds[row] != kind) continue;
    ++total.count;
    total.total_ns += trace.slices().durations_ns[row];
  }
  return total;
}

inline std::map<std::string, Total> totals_by_name(const Trace& trace, SliceKind kind) {
  std::map<std::string, Total> totals;
  for (std::size_t row = 0; row < trace.slice_count(); ++row) {
    if (trace.slices().kinds[row] != kind) continue;
    Total& total = totals[std::string(trace.name(SliceId(row)))];
    ++total.count;
    total.total_ns += trace.slices().durations_ns[row];
  }
  return totals;
}

// By device, the time in which it worked and the time from its first work to the end of the last.
struct DeviceTimes {
  std::int64_t busy_ns = 0;
  std::int64_t span_ns = 0;
  bool operator==(const DeviceTimes&) const = default;
};

inline std::map<std::int32_t, DeviceTimes> device_times(const Trace& trace) {
  std::map<std::int32_t, std::vector<std::pair<std::int64_t, std::int64_t>>> work;
  for (std::size_t row = 0; row < trace.slice_count(); ++row) {
    if (!is_device_work(trace.slices().kinds[row])) continue;
    const SliceId slice(row);
    const Track& track = trace.tracks()[trace.slices().tracks[row].index()];
    work[track.device.value_or(-1)].emplace_back(trace.start_ns(slice), trace.end_ns(slice));
  }
  std::map<std::int32_t, DeviceTimes> times;
  for (auto& [device, spans] : work) {
    std::ranges::sort(spans);
    std::int64_t end = spans.front().first;
    for (const auto& span : spans) {
      times[device].busy_ns += std::max<std::int64_t>(0, span.second - std::max(end, span.first));
      end = std::max(end, span.second);
    }
    times[device].span_ns = end - spans.front().first;
  }
  return times;
}

}  // namespace strobe::testing
