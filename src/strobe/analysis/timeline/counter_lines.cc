#include "strobe/analysis/timeline/counter_lines.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "strobe/analysis/tables/memory.h"
#include "strobe/analysis/waits/waits.h"
#include "strobe/base/time_columns.h"

namespace strobe::analysis {
namespace {

void add_value(CounterLine& line, std::int64_t time_ns, double value) {
  line.max = line.times_ns.empty() ? value : std::max(line.max, value);
  line.times_ns.push_back(time_ns);
  line.values.push_back(value);
}

std::string device_name(const Trace& trace, std::int32_t device) {
  return trace.traits().device_label + " " + std::to_string(device);
}

std::map<std::int32_t, std::vector<Interval>> work_of_devices(const Trace& trace) {
  const auto& slices = trace.slices();
  std::map<std::int32_t, std::vector<Interval>> work;
  for (std::size_t row = 0; row < slices.size(); ++row) {
    if (!is_device_work(slices.kinds[row])) continue;
    const auto device = trace.tracks()[slices.tracks[row].index()].device;
    if (device) work[*device].push_back(trace.interval(SliceId(row)));
  }
  return work;
}

// Work whose launch was not recorded never waits, so a device without launches has no line.
void add_queue_line(const Trace& trace, const QueueLine& queue, std::vector<CounterLine>& lines) {
  CounterLine line;
  line.name = device_name(trace, queue.device) + " queue";
  for (const QueuePoint& point : queue.points) {
    add_value(line, point.time_ns, static_cast<double>(point.waiting));
  }
  if (line.max > 0) lines.push_back(std::move(line));
}

void add_device_lines(const AttributedTrace& input, std::vector<CounterLine>& lines) {
  const std::vector<QueueLine> queues = list_queues(input);
  for (auto& [device, intervals] : work_of_devices(input.trace)) {
    CounterLine line;
    line.name = device_name(input.trace, device) + " busy";
    line.unit = CounterUnit::kShare;
    line.max = 1;
    line.covered = union_of(std::move(intervals));
    lines.push_back(std::move(line));
    const auto queue = std::ranges::find(queues, device, &QueueLine::device);
    if (queue != queues.end()) add_queue_line(input.trace, *queue, lines);
  }
}

void add_memory_lines(const Trace& trace, std::vector<CounterLine>& lines) {
  for (const MemoryCurve& curve : list_memory_curves(trace)) {
    CounterLine allocated{curve.place + " allocated", CounterUnit::kBytes};
    CounterLine reserved{curve.place + " reserved", CounterUnit::kBytes};
    for (const MemoryPoint& point : curve.points) {
      add_value(allocated, point.time_ns, static_cast<double>(point.allocated_bytes));
      if (point.reserved_bytes >= 0) {
        add_value(reserved, point.time_ns, static_cast<double>(point.reserved_bytes));
      }
    }
    lines.push_back(std::move(allocated));
    if (reserved.max > 0) lines.push_back(std::move(reserved));
  }
}

// A line has the counter's name, plus its series if the counter has several, plus its process if
// several processes have the counter.
void add_trace_lines(const Trace& trace, std::vector<CounterLine>& lines) {
  const CounterColumns& counters = trace.counters();
  using Key = std::tuple<StringId, StringId, StringId>;  // name, process, series
  std::map<Key, std::vector<std::pair<std::int64_t, double>>> values;
  std::map<StringId, std::set<StringId>> series_of;
  std::map<StringId, std::set<StringId>> processes_of;
  for (std::size_t i = 0; i < counters.size(); ++i) {
    const StringId name = counters.names[i];
    const StringId process = trace.tracks()[counters.tracks[i].index()].process;
    values[{name, process, counters.series[i]}].emplace_back(counters.times_ns[i],
                                                             counters.values[i]);
    series_of[name].insert(counters.series[i]);
    processes_of[name].insert(process);
  }
  for (auto& [key, points] : values) {
    const auto& [name, process, series] = key;
    CounterLine line;
    line.name = std::string(trace.strings()[name]);
    if (series_of[name].size() > 1) line.name += " " + std::string(trace.strings()[series]);
    if (processes_of[name].size() > 1) {
      line.name += " (" + std::string(trace.strings()[process]) + ")";
    }
    std::ranges::stable_sort(points, {}, &std::pair<std::int64_t, double>::first);
    for (const auto& [time_ns, value] : points) add_value(line, time_ns, value);
    lines.push_back(std::move(line));
  }
}

std::vector<CounterPoint> sample_values(const CounterLine& line, const TimeColumns& columns) {
  std::vector<CounterPoint> points;
  const auto first = std::ranges::lower_bound(line.times_ns, columns.begin_ns(0));
  auto next = static_cast<std::size_t>(first - line.times_ns.begin());
  for (std::uint32_t column = 0; column < columns.count(); ++column) {
    const std::int64_t begin_ns = columns.begin_ns(column);
    const std::int64_t end_ns = columns.end_ns(column);
    if (begin_ns == end_ns) continue;
    CounterPoint point{begin_ns, std::numeric_limits<double>::infinity(),
                       -std::numeric_limits<double>::infinity()};
    const auto note = [&](double value) {
      point.low = std::min(point.low, value);
      point.high = std::max(point.high, value);
    };
    const bool starts_with_column = next < line.times_ns.size() && line.times_ns[next] == begin_ns;
    if (next > 0 && !starts_with_column) note(line.values[next - 1]);
    for (; next < line.times_ns.size() && line.times_ns[next] < end_ns; ++next) {
      note(line.values[next]);
    }
    if (point.low <= point.high) points.push_back(point);
  }
  return points;
}

std::vector<CounterPoint> sample_share(const CounterLine& line, const TimeColumns& columns) {
  std::vector<CounterPoint> points;
  auto part = std::ranges::upper_bound(line.covered, columns.begin_ns(0), {}, &Interval::end_ns);
  for (std::uint32_t column = 0; column < columns.count(); ++column) {
    const std::int64_t begin_ns = columns.begin_ns(column);
    const std::int64_t end_ns = columns.end_ns(column);
    if (begin_ns == end_ns) continue;
    std::int64_t covered_ns = 0;
    for (; part != line.covered.end() && part->start_ns < end_ns; ++part) {
      covered_ns += std::min(part->end_ns, end_ns) - std::max(part->start_ns, begin_ns);
      if (part->end_ns > end_ns) break;  // the rest belongs to the next column
    }
    const double share = static_cast<double>(covered_ns) / static_cast<double>(end_ns - begin_ns);
    points.push_back({begin_ns, share, share});
  }
  return points;
}

}  // namespace

std::string_view word_of(CounterUnit unit) {
  switch (unit) {
    case CounterUnit::kShare:
      return "share";
    case CounterUnit::kBytes:
      return "bytes";
    case CounterUnit::kNumber:
      break;
  }
  return "number";
}

std::vector<CounterLine> list_counter_lines(const AttributedTrace& input) {
  std::vector<CounterLine> lines;
  add_device_lines(input, lines);
  add_memory_lines(input.trace, lines);
  add_trace_lines(input.trace, lines);
  return lines;
}

std::vector<CounterPoint> sample(const CounterLine& line, Interval window, std::uint32_t columns) {
  const TimeColumns screen(window, columns);
  return line.unit == CounterUnit::kShare ? sample_share(line, screen)
                                          : sample_values(line, screen);
}

}  // namespace strobe::analysis
