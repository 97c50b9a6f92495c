#include "strobe/analysis/findings/sampled_counters.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "strobe/base/row_index.h"
#include "strobe/trace/metric_series.h"

namespace strobe::analysis {
namespace {

struct CounterSample {
  std::int64_t time_ns = 0;
  double value = 0;
};

// A longer distance between two samples is a pause.
std::int64_t longest_distance_ns(const std::vector<CounterSample>& samples) {
  constexpr std::int64_t kPausePeriods = 4;
  std::vector<std::int64_t> distances_ns;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    distances_ns.push_back(samples[i].time_ns - samples[i - 1].time_ns);
  }
  const auto middle = distances_ns.begin() + static_cast<std::ptrdiff_t>(distances_ns.size() / 2);
  std::nth_element(distances_ns.begin(), middle, distances_ns.end());
  return kPausePeriods * *middle;
}

// The value between two samples; nothing where a counter was reset.
std::optional<double> value_between(const CounterSample& from, const CounterSample& to,
                                    device::MetricKind kind) {
  switch (kind) {
    case device::MetricKind::kGauge:
      return from.value;
    case device::MetricKind::kWindow:
      return to.value;
    case device::MetricKind::kCounter: {
      if (to.value < from.value) return std::nullopt;
      constexpr double kNsPerSecond = 1e9;
      return (to.value - from.value) / static_cast<double>(to.time_ns - from.time_ns) *
             kNsPerSecond;
    }
    case device::MetricKind::kEvent:
      return std::nullopt;
  }
  return std::nullopt;
}

std::vector<SampledPiece> pieces_between(std::vector<CounterSample> samples,
                                         const device::MetricInfo& info) {
  std::vector<SampledPiece> pieces;
  if (samples.size() < 2) return pieces;
  std::ranges::stable_sort(samples, {}, &CounterSample::time_ns);
  const std::int64_t longest_ns = longest_distance_ns(samples);
  for (std::size_t i = 1; i < samples.size(); ++i) {
    const Interval interval{samples[i - 1].time_ns, samples[i].time_ns};
    if (interval.length_ns() == 0 || interval.length_ns() > longest_ns) continue;
    const auto value = value_between(samples[i - 1], samples[i], info.kind);
    if (value) pieces.push_back({interval, *value * info.scale});
  }
  return pieces;
}

}  // namespace

std::vector<SampledCounter> sampled_counters(const Trace& trace, device::MetricRole role) {
  const CounterColumns& counters = trace.counters();
  OncePerName on_device(trace.strings(), [&](std::string_view name) {
    return device::metric_info(name, "GPU 0").role == role;
  });
  OncePerName on_host(trace.strings(), [&](std::string_view name) {
    return device::metric_info(name, kHostDevice).role == role;
  });
  std::map<std::tuple<TrackId, StringId, StringId>, std::vector<CounterSample>> found;
  for (std::size_t i = 0; i < counters.size(); ++i) {
    const Track& track = trace.tracks()[counters.tracks[i].index()];
    const bool is_wanted = track.device ? on_device(counters.names[i]) : on_host(counters.names[i]);
    if (!is_wanted) continue;
    found[{counters.tracks[i], counters.names[i], counters.series[i]}].push_back(
        {counters.times_ns[i], counters.values[i]});
  }
  std::vector<SampledCounter> all;
  for (auto& [place, samples] : found) {
    const auto& [track, name, key] = place;
    SampledCounter counter;
    counter.track = track;
    counter.device = trace.tracks()[track.index()].device;
    if (key != name) counter.key = std::string(trace.strings()[key]);
    counter.info =
        device::metric_info(trace.strings()[name], counter.device ? "GPU 0" : kHostDevice);
    counter.pieces = pieces_between(std::move(samples), counter.info);
    all.push_back(std::move(counter));
  }
  return all;
}

bool SampledTime::is_enough_for(std::int64_t whole_ns) const {
  constexpr std::size_t kEnoughPieces = 10;
  return pieces >= kEnoughPieces && 2 * covered_ns >= whole_ns;
}

SampledTime time_in(const SampledCounter& counter, const IntervalSet& whole) {
  SampledTime time;
  auto first = whole.begin();
  for (const SampledPiece& piece : counter.pieces) {
    while (first != whole.end() && first->end_ns <= piece.interval.start_ns) ++first;
    std::int64_t inside_ns = 0;
    for (auto part = first; part != whole.end() && part->start_ns < piece.interval.end_ns; ++part) {
      inside_ns += std::min(part->end_ns, piece.interval.end_ns) -
                   std::max(part->start_ns, piece.interval.start_ns);
    }
    if (inside_ns == 0) continue;
    ++time.pieces;
    time.covered_ns += inside_ns;
    time.sum_ns += piece.value * static_cast<double>(inside_ns);
  }
  return time;
}

IntervalSet time_with_bits(const SampledCounter& counter, std::uint64_t bits) {
  GrowingUnion set;
  for (const SampledPiece& piece : counter.pieces) {
    if ((device::usual_bits({&piece.value, 1}) & bits) != 0) set.add(piece.interval);
  }
  return set.take();
}

}  // namespace strobe::analysis
