#include "strobe/compare/measure/metric_processes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>

#include "strobe/compare/measure/metric_cycles.h"
#include "strobe/compare/measure/metric_means.h"

namespace strobe::compare {
namespace {

using device::MetricRole;

// All processes with one metric on one device.
struct ProcessFamily {
  std::vector<const MetricSeries*> members;
  const MetricSeries* total = nullptr;  // of all of them together; null if it was not sampled

  // The series that tells when the sampler looked.
  const MetricSeries& ticks() const {
    if (total != nullptr) return *total;
    return **std::ranges::max_element(members, {},
                                      [](const MetricSeries* one) { return one->times_ns.size(); });
  }
};

MetricRole total_of(MetricRole role) {
  return role == MetricRole::kOneForeignDeviceUse ? MetricRole::kForeignDeviceUse
                                                  : MetricRole::kForeignCpuUse;
}

std::string_view name_of(const MetricSeries& series) {
  return std::string_view(series.metric).substr(0, series.metric.find(' '));
}

using Families = std::map<std::pair<std::string_view, std::string_view>, ProcessFamily>;

Families families_of(const std::vector<MetricSeries>& all) {
  Families families;
  for (const MetricSeries& series : all) {
    if (!device::metric_info(series.metric, series.device).has_key || series.times_ns.empty()) {
      continue;
    }
    families[{series.device, name_of(series)}].members.push_back(&series);
  }
  for (auto& [key, family] : families) {
    const MetricSeries& first = *family.members.front();
    const MetricRole wanted = total_of(device::metric_info(first.metric, first.device).role);
    const auto total = std::ranges::find_if(all, [&](const MetricSeries& series) {
      return series.device == first.device && series.times_ns.size() > 1 &&
             device::metric_info(series.metric, series.device).role == wanted;
    });
    if (total != all.end()) family.total = &*total;
  }
  return families;
}

// How the sampler of a family worked, on the clock of the trace.
struct Sampling {
  SeriesClock clock;
  double period_ns = 0;
  std::int64_t reach_ns = 0;  // a sample describes no more than this before it
  Interval known;             // outside of this nothing was sampled
};

Sampling sampling_of(const ProcessFamily& family, const Trace& trace) {
  constexpr double kJitter = 1.5;
  const MetricSeries& ticks = family.ticks();
  Sampling sampling;
  sampling.clock = clock_of(ticks, trace.extent(), trace.metadata().base_time_ns);
  sampling.period_ns = median_period_ns(ticks);
  sampling.reach_ns = std::llround(kJitter * sampling.period_ns);
  sampling.known = {ticks.times_ns.front() - sampling.reach_ns, ticks.times_ns.back()};
  for (const MetricSeries* member : family.members) {
    sampling.known.start_ns =
        std::min(sampling.known.start_ns, member->times_ns.front() - sampling.reach_ns);
    sampling.known.end_ns = std::max(sampling.known.end_ns, member->times_ns.back());
  }
  sampling.known.start_ns += sampling.clock.shift_ns;
  sampling.known.end_ns += sampling.clock.shift_ns;
  return sampling;
}

// The time that a sample describes.
Interval window_of(const MetricSeries& series, std::size_t sample, const Sampling& sampling) {
  const std::int64_t end_ns = series.times_ns[sample];
  std::int64_t start_ns = end_ns - sampling.reach_ns;
  if (sample > 0) start_ns = std::max(start_ns, series.times_ns[sample - 1]);
  return {start_ns + sampling.clock.shift_ns, end_ns + sampling.clock.shift_ns};
}

// NaN in cycles that the sampler did not see.
std::vector<double> use_per_cycle(const MetricSeries& series, double scale,
                                  const Sampling& sampling, const TimeParts& cycles) {
  constexpr double kLeastSeen = 0.5;
  std::vector<double> use(cycles.size());
  std::size_t near = 0;
  for (std::size_t i = 0; i < series.times_ns.size(); ++i) {
    const Interval window = window_of(series, i, sampling);
    near = cycles.first_after(window.start_ns, near);
    cycles.for_each_piece(window, near, [&](std::size_t cycle, Interval piece) {
      use[cycle] += scale * series.values[i] * static_cast<double>(piece.length_ns()) /
                    static_cast<double>(cycles[cycle].length_ns());
    });
  }
  const std::vector<std::int64_t> seen_ns = cycles.covered_ns({sampling.known});
  for (std::size_t cycle = 0; cycle < use.size(); ++cycle) {
    const auto length_ns = static_cast<double>(cycles[cycle].length_ns());
    if (static_cast<double>(seen_ns[cycle]) < kLeastSeen * length_ns) {
      use[cycle] = std::numeric_limits<double>::quiet_NaN();
    }
  }
  return use;
}

double mean_of_recording(const MetricSeries& series, double scale, const Sampling& sampling) {
  double sum = 0;
  for (std::size_t i = 0; i < series.times_ns.size(); ++i) {
    sum += series.values[i] * static_cast<double>(window_of(series, i, sampling).length_ns());
  }
  const auto length_ns = static_cast<double>(sampling.known.length_ns());
  return length_ns > 0 ? scale * sum / length_ns : 0;
}

struct ProcessUse {
  std::string program;
  std::string key;
  std::size_t processes = 1;
  std::size_t samples = 0;
  double recording_mean = 0;
  std::vector<double> per_cycle;

  double total() const {
    return std::accumulate(per_cycle.begin(), per_cycle.end(), 0.0, [](double sum, double value) {
      return std::isnan(value) ? sum : sum + value;
    });
  }
};

std::vector<ProcessUse> joined_by_program(std::vector<ProcessUse> uses) {
  std::map<std::string, ProcessUse> programs;
  for (ProcessUse& use : uses) {
    const auto [found, is_new] = programs.try_emplace(use.program, use);
    if (is_new) continue;
    ProcessUse& sum = found->second;
    ++sum.processes;
    sum.samples += use.samples;
    sum.recording_mean += use.recording_mean;
    std::ranges::transform(sum.per_cycle, use.per_cycle, sum.per_cycle.begin(), std::plus<>());
    sum.key = fmt::format("{} ({} processes)", sum.program, sum.processes);
  }
  std::vector<ProcessUse> joined;
  for (auto& [program, use] : programs) joined.push_back(std::move(use));
  return joined;
}

std::vector<ProcessUse> largest_uses(const ProcessFamily& family, double scale,
                                     const Sampling& sampling, const TimeParts& cycles) {
  std::vector<ProcessUse> uses;
  for (const MetricSeries* member : family.members) {
    const std::string_view key = device::metric_key(member->metric);
    ProcessUse use{.program = std::string(device::program_of(key)),
                   .key = std::string(key),
                   .samples = member->times_ns.size(),
                   .recording_mean = mean_of_recording(*member, scale, sampling),
                   .per_cycle = use_per_cycle(*member, scale, sampling, cycles)};
    if (use.total() > 0) uses.push_back(std::move(use));
  }
  if (uses.size() > kMostProcesses) uses = joined_by_program(std::move(uses));
  std::ranges::stable_sort(uses, std::ranges::greater{}, &ProcessUse::total);
  if (uses.size() > kMostProcesses) uses.resize(kMostProcesses);
  return uses;
}

}  // namespace

std::vector<SeriesCycles> average_processes(const RankCapture& capture, const TimeParts& cycles) {
  std::vector<SeriesCycles> all;
  for (const auto& [key, family] : families_of(capture.metrics)) {
    const Sampling sampling = sampling_of(family, *capture.trace);
    if (sampling.clock.base == TimeBase::kNoOverlap || sampling.reach_ns == 0) continue;
    const MetricSeries& first = *family.members.front();
    const device::MetricInfo info = device::metric_info(first.metric, first.device);
    std::vector<std::int64_t> ticks_ns = family.ticks().times_ns;
    for (std::int64_t& tick_ns : ticks_ns) tick_ns += sampling.clock.shift_ns;
    for (ProcessUse& use : largest_uses(family, info.scale, sampling, cycles)) {
      SeriesCycles series;
      series.device = first.device;
      series.metric = fmt::format("{}{}{}", key.second, use.key.empty() ? "" : " ", use.key);
      series.info = info;
      series.time_base = sampling.clock.base;
      series.samples = series.samples_in_cycles = use.samples;
      series.period_ns = sampling.period_ns;
      series.recording_mean = series.recording_median = use.recording_mean;
      series.mean = series.busy_mean = std::move(use.per_cycle);
      series.sample_of = samples_of_cycles(cycles, info.kind, ticks_ns);
      all.push_back(std::move(series));
    }
  }
  return all;
}

}  // namespace strobe::compare
