#include "strobe/analysis/tables/samples.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "strobe/analysis/timeline/metric_labels.h"
#include "strobe/analysis/timeline/metric_values.h"
#include "strobe/analysis/timeline/track_groups.h"
#include "strobe/base/interval.h"
#include "strobe/base/row_index.h"
#include "strobe/base/text.h"
#include "strobe/trace/metric_series.h"

namespace strobe::analysis {
namespace {

using device::MetricInfo;
using device::MetricKind;
using device::MetricRole;

struct NamedMetric {
  MetricInfo info;
  std::optional<KnownMetric> known;  // nothing if another tool has named it

  bool is_understood() const { return info.role != MetricRole::kUnknown || !info.unit.empty(); }
};

// The samples of one owner and metric, or of one of its series.
struct SampledSeries {
  CounterOwner owner;
  TrackId track;
  StringId name;
  StringId series;
  NamedMetric metric;
  std::vector<MetricSample> samples = {};
};

struct CollectedSamples {
  std::vector<SampledSeries> series;
  std::map<CounterOwner, Interval>
      seen;  // from its first sample to its last; a process with its threads
  std::set<TrackId> threads;
  std::set<StringId> other_processes;
  std::optional<Interval> steady = {};  // see list_samples()
};

CounterOwner without_thread(const CounterOwner& owner) {
  return owner.what == CounterOwner::What::kThread ? CounterOwner::of_process(owner.process)
                                                   : owner;
}

// Finds the series of each sample; neighbours in the table mostly belong together.
class SampleCollector {
 public:
  explicit SampleCollector(const Trace& trace)
      : trace_(trace),
        owners_(trace),
        on_device_(trace.strings(), NameOnDevice{trace.traits().device_label + " 0"}),
        on_host_(trace.strings(), NameOnDevice{kHostDevice}) {}

  CollectedSamples collect() {
    const CounterColumns& columns = trace_.counters();
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const bool is_same = i > 0 && columns.tracks[i] == columns.tracks[i - 1] &&
                           columns.names[i] == columns.names[i - 1] &&
                           columns.series[i] == columns.series[i - 1];
      if (!is_same) place_ = place_of(columns.tracks[i], columns.names[i], columns.series[i]);
      if (!std::isfinite(columns.values[i])) continue;
      seen_->start_ns = std::min(seen_->start_ns, columns.times_ns[i]);
      seen_->end_ns = std::max(seen_->end_ns, columns.times_ns[i]);
      if (place_ == kNowhere) continue;
      found_.series[place_].samples.push_back({columns.times_ns[i], columns.values[i]});
    }
    for (SampledSeries& one : found_.series) {
      std::ranges::stable_sort(one.samples, {}, &MetricSample::time_ns);
    }
    std::erase_if(found_.series, [](const SampledSeries& one) { return one.samples.empty(); });
    return std::move(found_);
  }

 private:
  static constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();

  struct NameOnDevice {
    std::string device;
    NamedMetric operator()(std::string_view name) const {
      return {device::metric_info(name, device), known_metric(name)};
    }
  };

  std::size_t place_of(TrackId track, StringId name, StringId series) {
    const CounterOwner owner = owners_.of(track, name);
    constexpr Interval kNever{std::numeric_limits<std::int64_t>::max(),
                              std::numeric_limits<std::int64_t>::min()};
    seen_ = &found_.seen.try_emplace(without_thread(owner), kNever).first->second;
    if (owner.what == CounterOwner::What::kThread) {
      found_.threads.insert(track);
      return kNowhere;
    }
    const NamedMetric metric =
        owner.what == CounterOwner::What::kDevice ? on_device_(name) : on_host_(name);
    if (metric.info.has_key) {
      found_.other_processes.insert(series);
      return kNowhere;
    }
    if (!metric.is_understood()) return kNowhere;
    const auto [known, is_new] =
        places_.try_emplace(std::tuple(owner, name, series), found_.series.size());
    if (is_new) found_.series.push_back({owner, track, name, series, metric});
    return known->second;
  }

  const Trace& trace_;
  CounterOwners owners_;
  OncePerName<NameOnDevice> on_device_;
  OncePerName<NameOnDevice> on_host_;
  std::map<std::tuple<CounterOwner, StringId, StringId>, std::size_t> places_;
  CollectedSamples found_;
  std::size_t place_ = kNowhere;
  Interval* seen_ = nullptr;
};

struct Piece {
  Interval interval;
  double value = 0;
};
using Pieces = std::vector<Piece>;

std::int64_t median_ns(std::vector<std::int64_t>& lengths_ns) {
  if (lengths_ns.empty()) return 0;
  const auto middle = lengths_ns.begin() + static_cast<std::ptrdiff_t>(lengths_ns.size() / 2);
  std::ranges::nth_element(lengths_ns, middle);
  return *middle;
}

// How often the sampler looks. A zero may have been repeated in silence, so what follows another
// value tells more.
std::int64_t look_period_ns(const std::vector<MetricSample>& samples) {
  std::vector<std::int64_t> all_ns;
  std::vector<std::int64_t> after_values_ns;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    all_ns.push_back(samples[i].time_ns - samples[i - 1].time_ns);
    if (samples[i - 1].value != 0) after_values_ns.push_back(all_ns.back());
  }
  return median_ns(after_values_ns.empty() ? all_ns : after_values_ns);
}

// When each value of a series holds. strobe's own sampler writes of the host and its processes only
// what changes: as long as such an owner is seen, a counter without a new sample has not grown, and
// a window after a zero, or before a process's first one, is zero until the next one begins.
class HeldValues {
 public:
  HeldValues(const SampledSeries& series, const Interval& owner_seen)
      : samples_(series.samples),
        scale_(series.metric.info.scale),
        writes_changes_(series.metric.known && series.owner.what != CounterOwner::What::kDevice),
        from_ns_(series.owner.what == CounterOwner::What::kProcess ? owner_seen.start_ns
                                                                   : series.samples[0].time_ns),
        until_ns_(series.metric.known ? owner_seen.end_ns : series.samples.back().time_ns) {}

  Pieces of(MetricKind kind) const {
    switch (kind) {
      case MetricKind::kGauge:
        return of_gauge();
      case MetricKind::kWindow:
        return of_window();
      case MetricKind::kCounter:
        return of_counter();
      case MetricKind::kEvent:
        break;
    }
    return of_event();
  }

 private:
  Pieces of_gauge() const {
    Pieces pieces;
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      const bool is_last = i + 1 == samples_.size();
      const std::int64_t end_ns = is_last ? until_ns_ : samples_[i + 1].time_ns;
      pieces.push_back({{samples_[i].time_ns, end_ns}, scale_ * samples_[i].value});
    }
    return pieces;
  }

  Pieces of_counter() const {
    Pieces pieces;
    for (std::size_t i = 1; i < samples_.size(); ++i) {
      const Interval interval{samples_[i - 1].time_ns, samples_[i].time_ns};
      const double growth = samples_[i].value - samples_[i - 1].value;
      // A counter that was set back says nothing about the time in between.
      if (interval.length_ns() <= 0 || growth < 0) continue;
      const double seconds = static_cast<double>(interval.length_ns()) / 1e9;
      pieces.push_back({interval, scale_ * growth / seconds});
    }
    add_zero_until_end(pieces);
    return pieces;
  }

  Pieces of_window() const {
    Pieces pieces;
    const std::int64_t period_ns = look_period_ns(samples_);
    const std::int64_t first_ns = samples_.front().time_ns - period_ns;
    if (writes_changes_ && from_ns_ < first_ns) pieces.push_back({{from_ns_, first_ns}, 0});
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      std::int64_t from_ns = samples_[i].time_ns - period_ns;
      if (i > 0) {
        const MetricSample& before = samples_[i - 1];
        const bool was_silent = writes_changes_ && before.value == 0 && before.time_ns < from_ns;
        if (was_silent) {
          pieces.push_back({{before.time_ns, from_ns}, 0});
        } else {
          from_ns = before.time_ns;
        }
      }
      pieces.push_back({{from_ns, samples_[i].time_ns}, scale_ * samples_[i].value});
    }
    if (samples_.back().value == 0) add_zero_until_end(pieces);
    return pieces;
  }

  Pieces of_event() const {
    Pieces pieces;
    for (const MetricSample& sample : samples_) {
      pieces.push_back({{sample.time_ns, sample.time_ns}, scale_ * sample.value});
    }
    return pieces;
  }

  void add_zero_until_end(Pieces& pieces) const {
    const std::int64_t last_ns = samples_.back().time_ns;
    if (writes_changes_ && last_ns < until_ns_) pieces.push_back({{last_ns, until_ns_}, 0});
  }

  const std::vector<MetricSample>& samples_;
  double scale_;
  bool writes_changes_;
  std::int64_t from_ns_;
  std::int64_t until_ns_;
};

// Several processes added up: at each moment those of which something is known.
Pieces added_up(const Pieces& all) {
  struct Edge {
    std::int64_t time_ns;
    double change;
    int opens;
  };
  std::vector<Edge> edges;
  for (const Piece& piece : all) {
    if (piece.interval.length_ns() <= 0) continue;
    edges.push_back({piece.interval.start_ns, piece.value, 1});
    edges.push_back({piece.interval.end_ns, -piece.value, -1});
  }
  if (edges.empty()) return all;
  std::ranges::sort(edges, {}, &Edge::time_ns);
  Pieces sum;
  double value = 0;
  int open = 0;
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    open += edges[i].opens;
    value = open == 0 ? 0 : std::max(0.0, value + edges[i].change);  // rounding may go below
    const Interval interval{edges[i].time_ns, edges[i + 1].time_ns};
    if (open > 0 && interval.length_ns() > 0) sum.push_back({interval, value});
  }
  return sum;
}

// Weighted by the time in which a value holds inside of `time`; nothing if none does.
std::optional<double> mean_in(Interval time, const Pieces& pieces) {
  double weighted_sum = 0;
  double weight = 0;
  for (const auto& [interval, value] : pieces) {
    const std::int64_t end_ns = std::min(interval.end_ns, time.end_ns);
    const std::int64_t inside_ns = end_ns - std::max(interval.start_ns, time.start_ns);
    if (inside_ns <= 0) continue;
    weighted_sum += value * static_cast<double>(inside_ns);
    weight += static_cast<double>(inside_ns);
  }
  return weight > 0 ? std::optional(weighted_sum / weight) : std::nullopt;
}

void take_statistics(const Pieces& pieces, const std::optional<Interval>& steady, SampleRow& row) {
  if (pieces.empty()) return;
  double sum = 0;
  double weighted_sum = 0;
  double weight = 0;
  row.min = row.max = pieces.front().value;
  for (const auto& [interval, value] : pieces) {
    const auto length_ns = static_cast<double>(interval.length_ns());
    sum += value;
    weighted_sum += value * length_ns;
    weight += length_ns;
    row.min = std::min(*row.min, value);
    row.max = std::max(*row.max, value);
  }
  if (row.info.kind == MetricKind::kEvent) return;
  row.mean = weight > 0 ? weighted_sum / weight : sum / static_cast<double>(pieces.size());
  if (steady) row.steady_mean = mean_in(*steady, pieces);
}

std::string process_text(const Trace& trace, TrackId id) {
  const Track& track = trace.tracks()[id.index()];
  const std::string process(trimmed(trace.strings()[track.process]));
  const std::string name(track.process_name.valid() ? trimmed(trace.strings()[track.process_name])
                                                    : "");
  if (name.empty()) return track.process_number ? "process " + process : process;
  return name.find(process) == std::string::npos ? fmt::format("{} ({})", name, process) : name;
}

// Series that make one row: those of one metric and one device, of all processes, or of the host.
struct RowPlace {
  bool is_detail = false;
  SampledThing thing = SampledThing::kHost;
  std::int32_t device = -1;
  std::size_t order = 0;
  std::string_view name;
  std::string_view series;

  auto operator<=>(const RowPlace&) const = default;
};
using RowPlaces = std::map<RowPlace, std::vector<const SampledSeries*>>;

SampledThing thing_of(const CounterOwner& owner) {
  if (owner.what == CounterOwner::What::kDevice) return SampledThing::kDevice;
  return owner.what == CounterOwner::What::kMachine ? SampledThing::kHost : SampledThing::kProcess;
}

bool explains_most(MetricRole role) {
  switch (role) {
    case MetricRole::kCoreClock:
    case MetricRole::kThrottleReasons:
    case MetricRole::kPower:
    case MetricRole::kDeviceUse:
    case MetricRole::kForeignDeviceUse:
    case MetricRole::kProcessCpuUse:
    case MetricRole::kRunQueue:
    case MetricRole::kQuotaThrottled:
    case MetricRole::kHostCpuUse:
    case MetricRole::kForeignCpuUse:
      return true;
    default:
      return false;
  }
}

RowPlace row_place(const Trace& trace, const SampledSeries& series) {
  const auto& [info, known] = series.metric;
  RowPlace place;
  place.is_detail = !explains_most(info.role);
  place.thing = thing_of(series.owner);
  place.device = series.owner.device;
  place.order = known ? known->order : std::numeric_limits<std::size_t>::max();
  place.name = trace.strings()[series.name];
  // The series of strobe's own metrics is only another name of the metric.
  if (!known) place.series = trace.strings()[series.series];
  return place;
}

std::string row_owner(const Trace& trace, const RowPlace& place,
                      const std::vector<const SampledSeries*>& members) {
  switch (place.thing) {
    case SampledThing::kDevice:
      return fmt::format("{} {}", trace.traits().device_label, place.device);
    case SampledThing::kProcess:
      return members.size() == 1 ? process_text(trace, members.front()->track)
                                 : counted(members.size(), "process", "processes");
    case SampledThing::kHost:
      break;
  }
  return "host";
}

std::string label_of(const SampleRow& row, const std::optional<KnownMetric>& known) {
  const std::string label(known ? known->label.label : row.metric);
  const std::string_view key = known && row.key.empty() ? known->label.key : row.key;
  return key.empty() || key == row.info.unit ? label : fmt::format("{}: {}", label, key);
}

// A mean of bits means nothing: each reason that ever held gets a row, in percent of the time.
void add_clock_limits(const SampleRow& like, const Pieces& pieces,
                      const std::optional<Interval>& steady, std::vector<SampleRow>& rows) {
  const auto bits_of = [](double value) {
    return device::clock_limits_in(device::usual_bits({&value, 1}));
  };
  std::uint64_t seen = 0;
  for (const Piece& piece : pieces) seen |= bits_of(piece.value);
  for (std::uint64_t bit = 1; bit <= seen && bit != 0; bit <<= 1) {
    if ((seen & bit) == 0) continue;
    Pieces shares = pieces;
    for (Piece& share : shares) share.value = (bits_of(share.value) & bit) != 0 ? 100 : 0;
    SampleRow row = like;
    row.key = device::clock_limits_text(bit);
    row.label = "clock limited: " + row.key;
    row.info = {};
    row.info.unit = "%";
    take_statistics(shares, steady, row);
    rows.push_back(std::move(row));
  }
}

const SampledSeries* longest_of(const std::vector<const SampledSeries*>& members) {
  return *std::ranges::max_element(members, {},
                                   [](const SampledSeries* one) { return one->samples.size(); });
}

void add_rows(const Trace& trace, const CollectedSamples& found, const RowPlace& place,
              const std::vector<const SampledSeries*>& members, std::vector<SampleRow>& rows) {
  const auto& [info, known] = members.front()->metric;
  SampleRow row;
  row.thing = place.thing;
  row.owner = row_owner(trace, place, members);
  row.metric = place.name;
  row.key = place.series == place.name ? "" : place.series;
  row.info = info;
  row.label = label_of(row, known);
  const SampledSeries* const only =
      device::is_shared_by_processes(info.role) ? longest_of(members) : nullptr;
  Pieces pieces;
  for (const SampledSeries* member : members) {
    row.samples += member->samples.size();
    if (only != nullptr && member != only) continue;
    const HeldValues held(*member, found.seen.at(member->owner));
    std::ranges::copy(held.of(info.kind), std::back_inserter(pieces));
  }
  if (info.role == MetricRole::kThrottleReasons) {
    return add_clock_limits(row, pieces, found.steady, rows);
  }
  const bool is_summed = members.size() > 1 && info.kind != MetricKind::kEvent;
  take_statistics(is_summed ? added_up(pieces) : pieces, found.steady, row);
  rows.push_back(std::move(row));
}

// Another tool's counter that falls is not what its name suggests.
bool is_misnamed(const SampledSeries& series) {
  const bool ever_falls =
      std::ranges::adjacent_find(series.samples, [](const MetricSample& a, const MetricSample& b) {
        return b.value < a.value;
      }) != series.samples.end();
  return !series.metric.known && series.metric.info.kind == MetricKind::kCounter && ever_falls;
}

}  // namespace

SampleTable list_samples(const Trace& trace, const std::optional<Interval>& steady) {
  SampleTable table;
  if (trace.counters().size() == 0) return table;
  CollectedSamples found = SampleCollector(trace).collect();
  found.steady = steady;
  std::erase_if(found.series, is_misnamed);
  RowPlaces places;
  for (const SampledSeries& series : found.series) {
    places[row_place(trace, series)].push_back(&series);
  }
  for (const auto& [place, members] : places) add_rows(trace, found, place, members, table.rows);
  table.threads = found.threads.size();
  table.other_processes = found.other_processes.size();
  return table;
}

}  // namespace strobe::analysis
