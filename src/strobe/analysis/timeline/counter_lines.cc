#include "strobe/analysis/timeline/counter_lines.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "strobe/analysis/tables/memory.h"
#include "strobe/analysis/timeline/metric_labels.h"
#include "strobe/analysis/timeline/metric_values.h"
#include "strobe/analysis/waits/waits.h"
#include "strobe/base/time_columns.h"
#include "strobe/device/metric_info.h"
#include "strobe/trace/metric_series.h"

namespace strobe::analysis {
namespace {

void add_value(CounterLine& line, std::int64_t time_ns, double value) {
  line.times_ns.push_back(time_ns);
  line.values.push_back(value);
}

// Whether any value is known.
bool find_range(CounterLine& line) {
  bool is_known = false;
  for (const double value : line.values) {
    if (std::isnan(value)) continue;
    line.min = is_known ? std::min(line.min, value) : value;
    line.max = is_known ? std::max(line.max, value) : value;
    is_known = true;
  }
  return is_known;
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
  line.label = "queue";
  line.name = device_name(trace, queue.device) + " " + line.label;
  line.owner = CounterOwner::of_device(queue.device);
  line.is_main = true;
  for (const QueuePoint& point : queue.points) {
    add_value(line, point.time_ns, static_cast<double>(point.waiting));
  }
  if (find_range(line) && line.max > 0) lines.push_back(std::move(line));
}

void add_device_lines(const AttributedTrace& input, std::vector<CounterLine>& lines) {
  const std::vector<QueueLine> queues = list_queues(input);
  for (auto& [device, intervals] : work_of_devices(input.trace)) {
    CounterLine line;
    line.label = "busy";
    line.name = device_name(input.trace, device) + " " + line.label;
    line.owner = CounterOwner::of_device(device);
    line.unit = kShareUnit;
    line.is_main = true;
    line.max = 1;
    line.covered = union_of(std::move(intervals));
    lines.push_back(std::move(line));
    const auto queue = std::ranges::find(queues, device, &QueueLine::device);
    if (queue != queues.end()) add_queue_line(input.trace, *queue, lines);
  }
}

// "GPU 0" is a device; memory of the host belongs to the process that allocates it.
CounterOwner owner_of_place(const Trace& trace, const MemoryCurve& curve) {
  const std::string prefix = trace.traits().device_label + " ";
  if (curve.place.starts_with(prefix)) {
    for (const Track& track : trace.tracks()) {
      if (track.device && curve.place == device_name(trace, *track.device)) {
        return CounterOwner::of_device(*track.device);
      }
    }
  }
  const TrackId track = trace.memory().tracks[curve.events.front()];
  return CounterOwner::of_process(trace.tracks()[track.index()].process);
}

CounterLine memory_line(const Trace& trace, const MemoryCurve& curve, std::string_view key) {
  CounterLine line;
  line.label = curve.place.starts_with("CPU") ? "host memory" : "memory";
  line.key = key;
  line.name = curve.place + " " + line.key;
  line.owner = owner_of_place(trace, curve);
  line.unit = kBytesUnit;
  return line;
}

void add_memory_lines(const Trace& trace, std::vector<CounterLine>& lines) {
  for (const MemoryCurve& curve : list_memory_curves(trace)) {
    CounterLine allocated = memory_line(trace, curve, "allocated");
    CounterLine reserved = memory_line(trace, curve, "reserved");
    for (const MemoryPoint& point : curve.points) {
      add_value(allocated, point.time_ns, static_cast<double>(point.allocated_bytes));
      if (point.reserved_bytes >= 0) {
        add_value(reserved, point.time_ns, static_cast<double>(point.reserved_bytes));
      }
    }
    if (find_range(allocated)) lines.push_back(std::move(allocated));
    if (find_range(reserved) && reserved.max > 0) lines.push_back(std::move(reserved));
  }
}

// The samples of one counter, or of one of its series.
struct TraceCounter {
  CounterOwner owner;
  StringId name;
  StringId series;
  std::vector<MetricSample> samples = {};
};

// Neighbours in the table mostly belong together.
std::vector<TraceCounter> collect_counters(const Trace& trace) {
  const CounterColumns& columns = trace.counters();
  const CounterOwners owners(trace);
  std::vector<TraceCounter> counters;
  std::map<std::tuple<CounterOwner, StringId, StringId>, std::size_t> places;
  std::size_t place = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const bool is_same = i > 0 && columns.tracks[i] == columns.tracks[i - 1] &&
                         columns.names[i] == columns.names[i - 1] &&
                         columns.series[i] == columns.series[i - 1];
    if (!is_same) {
      const CounterOwner owner = owners.of(columns.tracks[i], columns.names[i]);
      const auto [known, is_new] = places.try_emplace(
          std::tuple(owner, columns.names[i], columns.series[i]), counters.size());
      if (is_new) counters.push_back({owner, columns.names[i], columns.series[i]});
      place = known->second;
    }
    if (!std::isfinite(columns.values[i])) continue;
    counters[place].samples.push_back({columns.times_ns[i], columns.values[i]});
  }
  for (TraceCounter& counter : counters) {
    std::ranges::stable_sort(counter.samples, {}, &MetricSample::time_ns);
  }
  return counters;
}

// How many things share the name of a counter.
struct Namesakes {
  std::map<std::pair<CounterOwner, StringId>, std::set<StringId>> series;  // by owner and name
  std::map<StringId, std::set<StringId>> all_series;                       // by name
  std::map<StringId, std::set<CounterOwner>> owners;                       // by name
};

Namesakes namesakes_of(const std::vector<TraceCounter>& counters) {
  Namesakes names;
  for (const TraceCounter& counter : counters) {
    names.series[{counter.owner, counter.name}].insert(counter.series);
    names.all_series[counter.name].insert(counter.series);
    names.owners[counter.name].insert(counter.owner);
  }
  return names;
}

std::string owner_text(const Trace& trace, const CounterOwner& owner) {
  switch (owner.what) {
    case CounterOwner::What::kMachine:
      break;
    case CounterOwner::What::kDevice:
      return device_name(trace, owner.device);
    case CounterOwner::What::kProcess:
      return std::string(trace.strings()[owner.process]);
    case CounterOwner::What::kThread:
      return "thread " + std::string(trace.strings()[trace.tracks()[owner.thread.index()].thread]);
  }
  return "host";
}

// A counter's name, plus its series if it has several, plus its owner if several have it.
std::string whole_name(const Trace& trace, const TraceCounter& counter, const Namesakes& names) {
  std::string name(trace.strings()[counter.name]);
  if (names.all_series.at(counter.name).size() > 1) {
    name += " " + std::string(trace.strings()[counter.series]);
  }
  if (names.owners.at(counter.name).size() > 1) {
    name += " (" + owner_text(trace, counter.owner) + ")";
  }
  return name;
}

void set_label(CounterLine& line, std::string_view name, std::string_view series, bool is_alone,
               const std::optional<KnownMetric>& known) {
  line.label = known ? known->label.label : name;
  const bool has_series = known ? known->label.has_keys : !is_alone;
  if (has_series && series != name) {
    line.key = series;
  } else if (known) {
    line.key = known->label.key;
  }
}

std::string unit_text(std::string_view unit) {
  if (unit.empty()) return std::string(kNumberUnit);
  return std::string(unit == "B" ? kBytesUnit : unit);
}

bool ever_falls(const std::vector<MetricSample>& samples) {
  return std::ranges::adjacent_find(samples, [](const MetricSample& a, const MetricSample& b) {
           return b.value < a.value;
         }) != samples.end();
}

// Another tool's counter that falls is not what its name suggests.
device::MetricInfo info_of(const Trace& trace, const TraceCounter& counter, bool is_known) {
  const bool is_on_device = counter.owner.what == CounterOwner::What::kDevice;
  const device::MetricInfo info = device::metric_info(
      trace.strings()[counter.name],
      is_on_device ? device_name(trace, counter.owner.device) : std::string(kHostDevice));
  const bool is_counter = info.kind == device::MetricKind::kCounter;
  return is_counter && !is_known && ever_falls(counter.samples) ? device::MetricInfo{} : info;
}

// Processes, threads and whatever has a key come and go; devices and the machine stay.
SampleHold hold_of(const CounterOwner& owner, const std::optional<KnownMetric>& known) {
  const bool stays =
      owner.what == CounterOwner::What::kDevice || owner.what == CounterOwner::What::kMachine;
  if (!known) return SampleHold::kAlways;
  return stays && !known->label.has_keys ? SampleHold::kAlways : SampleHold::kWhileThere;
}

// Nothing if no value is known at any time.
std::optional<CounterLine> line_of(const Trace& trace, const TraceCounter& counter,
                                   const Namesakes& names) {
  const std::string_view name = trace.strings()[counter.name];
  const std::optional<KnownMetric> known = known_metric(name);
  const device::MetricInfo info = info_of(trace, counter, known.has_value());
  CounterLine line;
  line.name = whole_name(trace, counter, names);
  line.owner = counter.owner;
  line.unit = unit_text(info.unit);
  set_label(line, name, trace.strings()[counter.series],
            names.series.at({counter.owner, counter.name}).size() == 1, known);
  for (const MetricSample& value : metric_line(counter.samples, info, hold_of(line.owner, known))) {
    add_value(line, value.time_ns, value.value);
  }
  const bool is_seen = find_range(line);
  line.is_main = known && known->label.is_main && line.max > 0;
  return is_seen ? std::optional(std::move(line)) : std::nullopt;
}

void add_trace_lines(const Trace& trace, std::vector<CounterLine>& lines) {
  std::vector<TraceCounter> counters = collect_counters(trace);
  std::ranges::stable_sort(counters, {}, [&](const TraceCounter& counter) {
    const std::string_view name = trace.strings()[counter.name];
    const std::optional<KnownMetric> known = known_metric(name);
    constexpr std::size_t kLast = std::numeric_limits<std::size_t>::max();
    return std::tuple(known ? known->order : kLast, name, counter.owner,
                      trace.strings()[counter.series]);
  });
  const Namesakes names = namesakes_of(counters);
  for (const TraceCounter& counter : counters) {
    if (auto line = line_of(trace, counter, names)) lines.push_back(std::move(*line));
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
      if (std::isnan(value)) return;
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

std::vector<CounterLine> list_counter_lines(const AttributedTrace& input) {
  std::vector<CounterLine> lines;
  add_device_lines(input, lines);
  add_memory_lines(input.trace, lines);
  add_trace_lines(input.trace, lines);
  return lines;
}

std::vector<CounterPoint> sample(const CounterLine& line, Interval window, std::uint32_t columns) {
  const TimeColumns screen(window, columns);
  return line.unit == kShareUnit ? sample_share(line, screen) : sample_values(line, screen);
}

}  // namespace strobe::analysis
