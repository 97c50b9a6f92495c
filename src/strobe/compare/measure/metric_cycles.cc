#include "strobe/compare/measure/metric_cycles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <utility>

#include "strobe/compare/measure/metric_means.h"
#include "strobe/compare/measure/metric_processes.h"
#include "strobe/device/vendor_names.h"
#include "strobe/stats/moments.h"

namespace strobe::compare {
namespace {

// Samples inside the range; a sampler so slow that its samples only surround the range counts as
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

namespace {

bool stays_on_devices(const std::string& copy) {
  return device::copy_direction(copy) == device::CopyDirection::kBetweenDevices;
}

bool is_kernel(FunctionKind kind) {
  return kind == FunctionKind::kKernel || kind == FunctionKind::kCollective;
}

}  // namespace

bool is_in_scope(device::MetricScope scope, const FunctionKey& function) {
  const FunctionKind kind = function.kind;
  const bool is_copy = kind == FunctionKind::kMemcpy;
  switch (scope) {
    case device::MetricScope::kKernels:
      return is_kernel(kind);
    case device::MetricScope::kHostCopies:
      return kind == FunctionKind::kMemset || (is_copy && !stays_on_devices(function.name));
    // Kernels also use the links between devices: collectives, reads of a peer.
    case device::MetricScope::kDeviceCopies:
      return is_kernel(kind) || (is_copy && stays_on_devices(function.name));
    case device::MetricScope::kHost:
      return kind == FunctionKind::kHostOperator || kind == FunctionKind::kDataLoading ||
             kind == FunctionKind::kRuntimeCall || kind == FunctionKind::kScheduling;
    case device::MetricScope::kHostIo:
      return kind == FunctionKind::kInputOutput;
    case device::MetricScope::kNone:
      return false;
  }
  return false;
}

double typical_value(const device::MetricInfo& info, std::span<const double> values) {
  if (values.empty()) return 0;
  if (info.role == device::MetricRole::kThrottleReasons) {
    return static_cast<double>(device::usual_bits(values));
  }
  return stats::median_of(values);
}

namespace {

std::vector<std::size_t> samples_per_cycle(const TimeParts& cycles,
                                           std::span<const std::int64_t> times_ns) {
  std::vector<std::size_t> counts(cycles.size());
  std::size_t near = 0;
  for (const std::int64_t time_ns : times_ns) {
    near = cycles.first_after(time_ns, near);
    if (cycles.contains(near, time_ns)) ++counts[near];
  }
  return counts;
}

}  // namespace

std::vector<std::size_t> samples_of_cycles(const TimeParts& cycles, device::MetricKind kind,
                                           std::span<const std::int64_t> times_ns) {
  const std::vector<std::size_t> counts = samples_per_cycle(cycles, times_ns);
  const std::size_t all = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  const std::size_t last = all == 0 ? 0 : all - 1;
  std::vector<std::size_t> samples;
  std::size_t before = 0;
  for (const std::size_t count : counts) {
    const std::size_t until = before + count;
    const std::size_t latest = until == 0 ? 0 : until - 1;
    samples.push_back(kind == device::MetricKind::kGauge ? latest : std::min(before, last));
    before = until;
  }
  return samples;
}

namespace {

std::vector<std::int64_t> shifted(std::vector<std::int64_t> times_ns, std::int64_t shift_ns) {
  for (std::int64_t& time_ns : times_ns) time_ns += shift_ns;
  return times_ns;
}

struct ScaledSeries {
  SeriesCycles facts;
  Signal signal;
};

// The mean over the whole recording, where the signal is known.
void add_recording(const MetricSeries& series, ScaledSeries& scaled) {
  std::vector<double> values;
  if (scaled.facts.info.kind == device::MetricKind::kGauge) {
    for (const double value : series.values) values.push_back(value * scaled.facts.info.scale);
  } else {
    for (const Piece& piece : scaled.signal) values.push_back(piece.value);
  }
  scaled.facts.recording_mean = stats::moments_of(values).mean;
  scaled.facts.recording_median = typical_value(scaled.facts.info, values);
}

// Why a series cannot be what its name says; "" if it can.
std::string disbelief(const SeriesCycles& facts) {
  const auto range = device::believable_range(facts.info);
  const double typical = facts.recording_median;
  if (!range || facts.samples == 0 || (typical >= range->low && typical <= range->high)) return {};
  return fmt::format(
      "{} of {}: typically {:.6g} {}, outside the possible range ({:.6g} to {:.6g}); left out, "
      "check its unit",
      facts.metric, facts.device, typical, facts.info.unit, range->low, range->high);
}

ScaledSeries scaled_series(const RankCapture& capture, const MetricSeries& series,
                           const TimeParts& cycles, std::vector<std::string>& remarks) {
  ScaledSeries scaled;
  SeriesCycles& facts = scaled.facts;
  facts.device = series.device;
  facts.metric = series.metric;
  facts.info = device::metric_info(series.metric, series.device);
  facts.samples = series.times_ns.size();
  facts.period_ns = median_period_ns(series);
  const Interval extent = capture.trace->extent();
  const std::int64_t base_time_ns = capture.trace->metadata().base_time_ns;
  const SeriesClock clock = clock_of(series, extent, base_time_ns);
  facts.time_base = clock.base;
  scaled.signal = signal_of(series, facts.info, clock.shift_ns);
  add_recording(series, scaled);
  if (std::string why = disbelief(facts); !why.empty()) {
    remarks.push_back(std::move(why));
    scaled.signal.clear();
    return scaled;
  }
  if (clock.base != TimeBase::kNoOverlap) {
    const std::vector<std::int64_t> times_ns = shifted(series.times_ns, clock.shift_ns);
    const std::vector<std::size_t> counts = samples_per_cycle(cycles, times_ns);
    facts.samples_in_cycles = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
    facts.sample_of = samples_of_cycles(cycles, facts.info.kind, times_ns);
    if (scaled.signal.empty() && facts.info.kind != device::MetricKind::kEvent) {
      remarks.push_back(series.metric + " of " + series.device +
                        ": one sample is not enough for a mean");
    }
    return scaled;
  }
  scaled.signal.clear();
  if (!series.times_ns.empty()) {
    remarks.push_back(no_overlap_remark(series.metric + " of " + series.device,
                                        {series.times_ns.front(), series.times_ns.back()}, extent,
                                        base_time_ns));
  }
  return scaled;
}

// One device with its series, and its functions as targets of their sums.
class DeviceMetrics {
 public:
  DeviceMetrics(std::vector<std::size_t> series, const std::vector<Signal>& signals,
                const TimeParts& cycles)
      : series_(std::move(series)), grid_(signals, cycles), sums_(grid_) {}
  DeviceMetrics(const DeviceMetrics&) = delete;
  DeviceMetrics& operator=(const DeviceMetrics&) = delete;

  const std::vector<std::size_t>& series() const { return series_; }
  MetricSums& sums() { return sums_; }

  std::vector<CycleMeans> means_over(const std::vector<Interval>& stretches) {
    std::vector<std::size_t> all(series_.size());
    std::iota(all.begin(), all.end(), 0);
    const std::size_t target = sums_.add_target(std::move(all));
    std::size_t near = 0;
    for (const Interval& stretch : stretches) sums_.add(target, stretch, near);
    return sums_.take_means(target);
  }

 private:
  std::vector<std::size_t> series_;  // of the rank
  MetricGrid grid_;
  MetricSums sums_;
};

struct FunctionTarget {
  DeviceMetrics* device = nullptr;
  std::size_t target = 0;
  std::vector<std::size_t> series;
};

// The sums that a function's time is added to; none if no series is in scope.
std::vector<FunctionTarget> targets_of(
    const FunctionIndex& index, const std::vector<SeriesCycles>& series,
    const std::map<std::string, std::unique_ptr<DeviceMetrics>>& devices) {
  std::vector<FunctionTarget> targets(index.keys.size());
  for (std::size_t function = 0; function < targets.size(); ++function) {
    const FunctionKey& key = index.keys[function];
    const auto device = devices.find(key.device);
    if (device == devices.end()) continue;
    std::vector<std::size_t> signals;
    FunctionTarget& target = targets[function];
    for (std::size_t i = 0; i < device->second->series().size(); ++i) {
      const std::size_t number = device->second->series()[i];
      if (!is_in_scope(series[number].info.scope, key)) continue;
      signals.push_back(i);
      target.series.push_back(number);
    }
    if (signals.empty()) continue;
    target.device = device->second.get();
    target.target = target.device->sums().add_target(std::move(signals));
  }
  return targets;
}

void add_slices(const Trace& trace, const FunctionIndex& index,
                const std::vector<FunctionTarget>& targets) {
  const SliceColumns& slices = trace.slices();
  std::vector<std::size_t> near(trace.tracks().size());
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const std::uint32_t function = index.of_slice[i];
    if (function == FunctionIndex::kNone) continue;
    const FunctionTarget& target = targets[function];
    if (target.device == nullptr) continue;
    target.device->sums().add(target.target,
                              {slices.starts_ns[i], slices.starts_ns[i] + slices.durations_ns[i]},
                              near[slices.tracks[i].index()]);
  }
}

std::vector<Interval> intervals_of(const TimeParts& cycles) {
  std::vector<Interval> intervals;
  for (std::size_t i = 0; i < cycles.size(); ++i) intervals.push_back(cycles[i]);
  return intervals;
}

// Each bit that occurs in a signal of bits, as a signal of its own: 1 where it is set.
struct BitSignals {
  std::vector<double> bits;
  std::vector<Signal> signals;
};

BitSignals bit_signals(const Signal& signal) {
  std::uint64_t occurring = 0;
  for (const Piece& piece : signal) occurring |= device::usual_bits({&piece.value, 1});
  BitSignals found;
  for (std::uint64_t bit = 1; bit != 0 && bit <= occurring; bit <<= 1) {
    if ((occurring & bit) == 0) continue;
    Signal& one = found.signals.emplace_back();
    found.bits.push_back(static_cast<double>(bit));
    for (const Piece& piece : signal) {
      const bool is_set = (device::usual_bits({&piece.value, 1}) & bit) != 0;
      one.push_back({piece.interval, is_set ? 1.0 : 0.0});
    }
  }
  return found;
}

// The bits that are set for more than half of the known time of each cycle. `means` has one entry
// per bit; `known` is NaN where nothing is known.
std::vector<double> usual_bits_of(const BitSignals& signals, const std::vector<CycleMeans>& means,
                                  std::vector<double> known) {
  constexpr double kMostOfTheTime = 0.5;
  for (std::size_t cycle = 0; cycle < known.size(); ++cycle) {
    if (std::isnan(known[cycle])) continue;
    known[cycle] = 0;
    for (std::size_t i = 0; i < means.size(); ++i) {
      if (means[i].mean[cycle] > kMostOfTheTime) known[cycle] += signals.bits[i];
    }
  }
  return known;
}

// When the metrics of a device are averaged.
struct AveragedTimes {
  std::vector<Interval> cycles;
  const std::vector<Interval>* busy = nullptr;  // null: the device has no work, or is the host
};

void add_means(DeviceMetrics& metrics, const AveragedTimes& times,
               std::vector<SeriesCycles>& series) {
  const std::vector<CycleMeans> means = metrics.means_over(times.cycles);
  const std::vector<CycleMeans> busy_means =
      times.busy != nullptr ? metrics.means_over(*times.busy) : means;
  for (std::size_t i = 0; i < metrics.series().size(); ++i) {
    series[metrics.series()[i]].mean = means[i].mean;
    series[metrics.series()[i]].busy_mean = busy_means[i].mean;
  }
}

// A mean of bits is none of them: they are replaced by the usual ones of each cycle. A recording
// also covers the time in which the program starts, so its usual bits are those of the cycles.
void replace_by_bits(const Signal& signal, const TimeParts& cycles, const AveragedTimes& times,
                     SeriesCycles& series) {
  const BitSignals bits = bit_signals(signal);
  if (bits.bits.empty()) return;
  std::vector<std::size_t> numbers(bits.bits.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  DeviceMetrics metrics(std::move(numbers), bits.signals, cycles);
  const std::vector<CycleMeans> means = metrics.means_over(times.cycles);
  series.mean = usual_bits_of(bits, means, std::move(series.mean));
  series.busy_mean =
      usual_bits_of(bits, times.busy != nullptr ? metrics.means_over(*times.busy) : means,
                    std::move(series.busy_mean));
  std::vector<double> of_cycles;
  std::ranges::copy_if(series.busy_mean, std::back_inserter(of_cycles),
                       [](double value) { return !std::isnan(value); });
  if (!of_cycles.empty()) series.recording_median = typical_value(series.info, of_cycles);
}

// The series of one device that belong together: they are averaged over the same functions.
struct DeviceSignals {
  std::vector<std::size_t> series;  // of the rank
  std::vector<Signal> signals;
};

// What the rank's samples say about each function in their scope.
void add_function_means(const RankCapture& capture, const FunctionIndex& index,
                        const std::map<std::string, std::unique_ptr<DeviceMetrics>>& devices,
                        MetricsOfRank& result) {
  const std::vector<FunctionTarget> targets = targets_of(index, result.series, devices);
  add_slices(*capture.trace, index, targets);
  for (std::size_t function = 0; function < targets.size(); ++function) {
    const FunctionTarget& target = targets[function];
    if (target.device == nullptr) continue;
    std::vector<CycleMeans> means = target.device->sums().take_means(target.target);
    for (std::size_t i = 0; i < means.size(); ++i) {
      result.metrics.push_back({function, target.series[i], std::move(means[i].mean),
                                std::move(means[i].deviation), std::move(means[i].coverage)});
    }
  }
}

}  // namespace

MetricsOfRank average_metrics(const RankCapture& capture, const FunctionIndex& index,
                              const std::vector<DeviceWork>& devices, const TimeParts& cycles) {
  MetricsOfRank result;
  std::map<std::string, DeviceSignals> by_device;
  std::vector<std::pair<std::size_t, Signal>> of_no_function;
  for (const MetricSeries& series : capture.metrics) {
    if (device::metric_info(series.metric, series.device).has_key) continue;
    ScaledSeries scaled = scaled_series(capture, series, cycles, result.remarks);
    if (scaled.facts.info.scope == device::MetricScope::kNone) {
      of_no_function.emplace_back(result.series.size(), std::move(scaled.signal));
    } else {
      DeviceSignals& found = by_device[series.device];
      found.series.push_back(result.series.size());
      found.signals.push_back(std::move(scaled.signal));
    }
    result.series.push_back(std::move(scaled.facts));
  }
  const auto times_of = [&](const std::string& device) {
    const auto at = std::find(index.devices.begin(), index.devices.end(), device);
    const bool has_busy_time = at != index.devices.end() && device != kHostDevice;
    return AveragedTimes{intervals_of(cycles),
                         has_busy_time
                             ? &devices[static_cast<std::size_t>(at - index.devices.begin())].busy
                             : nullptr};
  };

  std::map<std::string, std::unique_ptr<DeviceMetrics>> metrics;
  for (const auto& [name, found] : by_device) {
    auto& device = metrics[name];
    device = std::make_unique<DeviceMetrics>(found.series, found.signals, cycles);
    const AveragedTimes times = times_of(name);
    add_means(*device, times, result.series);
    for (std::size_t i = 0; i < found.series.size(); ++i) {
      SeriesCycles& series = result.series[found.series[i]];
      if (series.info.role != device::MetricRole::kThrottleReasons) continue;
      replace_by_bits(found.signals[i], cycles, times, series);
    }
  }
  for (const auto& [number, signal] : of_no_function) {
    DeviceMetrics alone({number}, {signal}, cycles);
    add_means(alone, {intervals_of(cycles), nullptr}, result.series);
  }

  add_function_means(capture, index, metrics, result);
  for (SeriesCycles& process : average_processes(capture, cycles)) {
    result.series.push_back(std::move(process));
  }
  return result;
}

}  // namespace strobe::compare
