#include "strobe/compare/compat/compat_measure.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>

#include "strobe/compare/measure/function_index.h"
#include "strobe/compare/measure/metric_cycles.h"
#include "strobe/compare/measure/time_parts.h"

namespace strobe::compare {
namespace {

constexpr double kHundredfold = 100;

constexpr CompatMetric kOfKernels[] = {
    {"process_gpu_usage"},
    {"gpu_usage"},
    {"gpu_frequency", kHundredfold},
    {"gpu_sm_frequency", kHundredfold},
    {"gpu_mem_frequency", kHundredfold},
    {"gpu_mem_used"},
    {"gpu_sm_util"},
    {"gpu_sm_occupancy"},
    {"gpu_link_receive", kHundredfold},
    {"gpu_link_transmit", kHundredfold},
};
constexpr CompatMetric kOfHostCopies[] = {
    {"gpu_pcie_receive", kHundredfold},
    {"gpu_pcie_transmit", kHundredfold},
};
constexpr CompatMetric kOfDeviceCopies[] = {
    {"gpu_link_receive", kHundredfold},
    {"gpu_link_transmit", kHundredfold},
};
constexpr CompatMetric kOfRunning[] = {
    {"process_cpu_usage"}, {"host_cpu_usage"}, {"cpu_frequency"}};  // of the full clock, percent
constexpr CompatMetric kOfWaiting[] = {{"process_cpu_usage"}, {"host_cpu_usage"}};
constexpr CompatMetric kOfInputOutput[] = {{"disk_usage"}};

bool has(const std::string& name, std::string_view part) {
  return name.find(part) != std::string::npos;
}

}  // namespace

std::span<const CompatMetric> compat_metrics(const FunctionKey& function) {
  switch (function.kind) {
    case FunctionKind::kKernel:
    case FunctionKind::kCollective:
      return kOfKernels;
    case FunctionKind::kMemset:
      return kOfHostCopies;
    case FunctionKind::kMemcpy:  // the older report knows only these words
      if (has(function.name, "HtoD") || has(function.name, "DtoH")) return kOfHostCopies;
      if (has(function.name, "DtoD") || has(function.name, "PtoP")) return kOfDeviceCopies;
      return {};
    case FunctionKind::kScheduling:
      if (function.name == "oncpu") return kOfRunning;
      if (function.name == "runq") return kOfWaiting;
      return {};
    case FunctionKind::kInputOutput:
      if (function.name == "read" || function.name == "write") return kOfInputOutput;
      return {};
    case FunctionKind::kHostOperator:
    case FunctionKind::kDataLoading:
    case FunctionKind::kRuntimeCall:
    case FunctionKind::kOverhead:
      return {};
  }
  return {};
}

namespace {

double us_of(const Interval& interval) { return static_cast<double>(interval.length_ns()) / 1e3; }

struct Call {
  std::size_t cycle = 0;
  Interval interval;

  double us() const { return us_of(interval); }
};

// Calls that begin in a cycle, per function of the index, by cycle.
std::vector<std::vector<Call>> calls_by_function(const Trace& trace, const FunctionIndex& index,
                                                 const TimeParts& cycles) {
  std::vector<std::vector<Call>> calls(index.keys.size());
  std::vector<bool> is_listed(index.keys.size());
  for (std::size_t i = 0; i < index.keys.size(); ++i) {
    is_listed[i] = !compat_metrics(index.keys[i]).empty();
  }
  std::size_t cycle = 0;
  for (std::size_t i = 0; i < trace.slice_count(); ++i) {
    const std::uint32_t function = index.of_slice[i];
    if (function == FunctionIndex::kNone || !is_listed[function]) continue;
    const Interval interval = trace.interval(SliceId(static_cast<std::uint32_t>(i)));
    cycle = cycles.first_after(interval.start_ns, cycle);
    if (cycles.contains(cycle, interval.start_ns)) calls[function].push_back({cycle, interval});
  }
  for (std::vector<Call>& of_function : calls) {
    if (!std::ranges::is_sorted(of_function, {}, &Call::cycle)) {
      std::ranges::stable_sort(of_function, {}, &Call::cycle);
    }
  }
  return calls;
}

// The samples inside one cycle, at least one.
struct Samples {
  std::span<const std::int64_t> times_ns;
  std::span<const double> values;

  double at(std::int64_t time_ns) const {
    const auto above = std::ranges::upper_bound(times_ns, time_ns);
    if (above == times_ns.begin()) return values.front();
    if (above == times_ns.end()) return values.back();
    const auto i = static_cast<std::size_t>(above - times_ns.begin());
    const double share = static_cast<double>(time_ns - times_ns[i - 1]) /
                         static_cast<double>(times_ns[i] - times_ns[i - 1]);
    return values[i - 1] + (values[i] - values[i - 1]) * share;
  }

  // The mean of the samples if there are three, otherwise of the values at both ends.
  double mean_during(const Interval& call) const {
    constexpr std::size_t kEnough = 3;
    const auto first = std::ranges::lower_bound(times_ns, call.start_ns);
    const auto last = std::upper_bound(first, times_ns.end(), call.end_ns);
    const auto count = static_cast<std::size_t>(last - first);
    if (count < kEnough) return (at(call.start_ns) + at(call.end_ns)) / 2;
    double sum = 0;
    const auto skipped = static_cast<std::size_t>(first - times_ns.begin());
    for (const double value : values.subspan(skipped, count)) sum += value;
    return sum / static_cast<double>(count);
  }

  // Weighted by microseconds and summed in order: the mean of a constant may be off in the last
  // digit, and in the older report that digit decided the rounding.
  double mean_during(std::span<const Call> calls) const {
    double sum = 0;
    double weights = 0;
    double plain_sum = 0;
    for (const Call& call : calls) {
      const double mean = mean_during(call.interval);
      sum += call.us() * mean;
      weights += call.us();
      plain_sum += mean;
    }
    return weights > 0 ? sum / weights : plain_sum / static_cast<double>(calls.size());
  }
};

// A series on the clock of the trace, cut into cycles.
class CutSeries {
 public:
  CutSeries(const MetricSeries& series, std::int64_t shift_ns, const TimeParts& cycles)
      : values_(series.values) {
    for (const std::int64_t time_ns : series.times_ns) times_ns_.push_back(time_ns + shift_ns);
    for (std::size_t cycle = 0; cycle < cycles.size(); ++cycle) {
      const Interval interval = cycles[cycle];
      begins_.push_back(position_of(interval.start_ns));
      ends_.push_back(position_of(interval.end_ns));
    }
  }

  Samples in(std::size_t cycle) const {
    const std::size_t count = ends_[cycle] - begins_[cycle];
    return {std::span(times_ns_).subspan(begins_[cycle], count),
            std::span(values_).subspan(begins_[cycle], count)};
  }

 private:
  std::size_t position_of(std::int64_t time_ns) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(times_ns_, time_ns) -
                                    times_ns_.begin());
  }

  std::vector<std::int64_t> times_ns_;
  std::span<const double> values_;
  std::vector<std::size_t> begins_;
  std::vector<std::size_t> ends_;
};

CompatTriplet triplet_of(const FunctionKey& function, std::span<const Call> calls,
                         const CompatMetric& metric, const CutSeries& series,
                         const TimeParts& cycles) {
  CompatTriplet triplet{function.name, std::string(metric.name), function.device, {}, {}};
  for (auto begin = calls.begin(); begin != calls.end();) {
    const std::size_t cycle = begin->cycle;
    auto end = begin;
    double time_us = 0;
    for (; end != calls.end() && end->cycle == cycle; ++end) time_us += end->us();
    const Samples samples = series.in(cycle);
    if (!samples.values.empty()) {
      triplet.betas.push_back(stored(time_us / us_of(cycles[cycle]) * 100));
      triplet.mus.push_back(stored(samples.mean_during({begin, end}) * metric.scale));
    }
    begin = end;
  }
  return triplet;
}

}  // namespace

std::vector<CompatTriplet> measure_compat(const RankCapture& capture,
                                          const analysis::CycleList& cycles) {
  std::vector<CompatTriplet> triplets;
  if (cycles.cycles.empty()) return triplets;
  const Trace& trace = *capture.trace;
  const TimeParts parts(cycles.cycles);
  const Interval window{parts[0].start_ns, parts[parts.size() - 1].end_ns};
  const FunctionIndex index = index_functions(trace, cycles.marker_slices, window);
  const std::vector<std::vector<Call>> calls = calls_by_function(trace, index, parts);

  for (const MetricSeries& series : capture.metrics) {
    const SeriesClock clock = clock_of(series, trace.extent(), trace.metadata().base_time_ns);
    if (clock.base == TimeBase::kNoOverlap) continue;
    const CutSeries cut(series, clock.shift_ns, parts);
    for (std::size_t i = 0; i < index.keys.size(); ++i) {
      const FunctionKey& function = index.keys[i];
      if (calls[i].empty() || function.device != series.device) continue;
      for (const CompatMetric& metric : compat_metrics(function)) {
        if (metric.name != series.metric) continue;
        CompatTriplet triplet = triplet_of(function, calls[i], metric, cut, parts);
        if (!triplet.betas.empty()) triplets.push_back(std::move(triplet));
      }
    }
  }
  return triplets;
}

double stored(double value) {
  constexpr double kUnit = 1e4;
  return std::nearbyint(value * kUnit) / kUnit;
}

}  // namespace strobe::compare
