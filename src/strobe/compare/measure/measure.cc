#include "strobe/compare/measure/measure.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "strobe/analysis/cycles/warm_up.h"
#include "strobe/analysis/health/health.h"
#include "strobe/analysis/launches/attribution.h"
#include "strobe/compare/measure/device_pace.h"
#include "strobe/compare/measure/function_index.h"
#include "strobe/compare/measure/function_times.h"
#include "strobe/compare/measure/launched_work.h"
#include "strobe/compare/measure/metric_cycles.h"
#include "strobe/compare/measure/time_parts.h"
#include "strobe/compare/measure/wait_times.h"
#include "strobe/stats/moments.h"
#include "strobe/trace/extent.h"

namespace strobe::compare {

std::vector<bool> partial_cycles(const std::vector<analysis::Cycle>& cycles,
                                 const std::vector<std::uint64_t>& slices) {
  constexpr double kWholeShare = 0.8;
  std::map<analysis::CycleType, std::vector<double>> counts;
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    counts[cycles[i].type].push_back(static_cast<double>(slices[i]));
  }
  std::map<analysis::CycleType, double> least;
  for (const auto& [type, sample] : counts) least[type] = kWholeShare * stats::median_of(sample);
  std::vector<bool> is_partial(cycles.size());
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    is_partial[i] =
        cycles[i].has_inferred_border || static_cast<double>(slices[i]) < least[cycles[i].type];
  }
  return is_partial;
}

std::vector<std::size_t> usable_cycles(const RankMeasure& measure, const std::string& device,
                                       std::optional<analysis::CycleType> type) {
  std::vector<std::size_t> usable;
  const auto& cycles = measure.cycles.cycles;
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    if (type && cycles[i].type != *type) continue;
    if (cycles[i].interval.length_ns() > 0 && measure.is_usable(device, i)) usable.push_back(i);
  }
  return usable;
}

namespace {

// "the recording is usable, but not complete: ...; ...": what limits the comparison, too.
std::string health_sentence(const analysis::Health& health) {
  std::vector<std::string> seen;
  for (const analysis::HealthRemark& remark : health.remarks) {
    if (remark.verdict != analysis::HealthVerdict::kComplete) seen.push_back(remark.seen);
  }
  return fmt::format("the recording is {}: {}", analysis::verdict_text(health),
                     fmt::join(seen, "; "));
}

// Losses that matter too little to be told by the health of the recording.
void add_small_losses(const RankCapture& capture, std::vector<std::string>& remarks) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(ImportIssue::kCount_); ++i) {
    const auto issue = static_cast<ImportIssue>(i);
    const std::uint64_t count = capture.import[issue].count;
    if (count == 0 || severity_of(issue) != ImportSeverity::kLost) continue;
    remarks.push_back(fmt::format("{}: {} ({}x)", capture.path, sentence_of(issue), count));
  }
}

std::vector<std::string> remarks_of(const RankCapture& capture) {
  std::vector<std::string> remarks;
  const analysis::Health health = analysis::judge_health(*capture.trace, capture.import);
  if (health.verdict != analysis::HealthVerdict::kComplete) {
    remarks.push_back(health_sentence(health));
  } else {
    add_small_losses(capture, remarks);
  }
  remarks.insert(remarks.end(), capture.metric_remarks.begin(), capture.metric_remarks.end());
  return remarks;
}

std::string chip_name(const Trace& trace, const std::string& device) {
  for (const DeviceProperties& chip : trace.metadata().devices) {
    if (device == fmt::format("{} {}", trace.traits().device_label, chip.id)) return chip.name;
  }
  return {};
}

std::vector<DeviceCycles> device_cycles(const Trace& trace, const FunctionIndex& index,
                                        const std::vector<DeviceWork>& works,
                                        const TimeParts& parts,
                                        const std::vector<analysis::Cycle>& cycles,
                                        bool keep_partial) {
  std::vector<DeviceCycles> devices;
  for (std::size_t i = 0; i < index.devices.size(); ++i) {
    devices.push_back({index.devices[i], chip_name(trace, index.devices[i]),
                       parts.covered_ns(works[i].busy), works[i].slices,
                       keep_partial ? std::vector<bool>(cycles.size())
                                    : partial_cycles(cycles, works[i].slices)});
  }
  return devices;
}

// Longer than a cycle, and a real part of all of them.
bool outlasts(std::int64_t overhang_ns, const std::vector<analysis::Cycle>& cycles) {
  constexpr double kRealPart = 0.2;
  std::vector<double> lengths_ns;
  for (const analysis::Cycle& cycle : cycles) {
    lengths_ns.push_back(static_cast<double>(cycle.interval.length_ns()));
  }
  const auto span_ns =
      static_cast<double>(cycles.back().interval.end_ns - cycles.front().interval.start_ns);
  return static_cast<double>(overhang_ns) >
         std::max(kRealPart * span_ns, stats::median_of(lengths_ns));
}

void add_launched_work(LaunchedWorks launched, RankMeasure& result) {
  for (std::size_t i = 0; i < launched.functions.size(); ++i) {
    result.functions[i].launched_calls = std::move(launched.functions[i].calls);
    result.functions[i].launched_ns = std::move(launched.functions[i].time_ns);
  }
  for (std::size_t i = 0; i < launched.devices.size(); ++i) {
    DeviceCycles& device = result.devices[i];
    device.launched_ns = std::move(launched.devices[i].busy_ns);
    device.overhang_ns = launched.devices[i].overhang_ns;
    device.outlasts_cycles = result.cycles.clock == analysis::CycleClock::kMarks &&
                             is_cut_by_host(result.cycles.method) &&
                             outlasts(device.overhang_ns, result.cycles.cycles);
  }
}

double median_work_ns(const RankMeasure& measure, analysis::CycleType type) {
  std::vector<double> work_ns;
  for (std::size_t i = 0; i < measure.cycles.cycles.size(); ++i) {
    if (measure.cycles.cycles[i].type != type) continue;
    double sum_ns = 0;
    for (const DeviceCycles& device : measure.devices) {
      if (device.device == kHostDevice) continue;
      const auto& ns = device.launched_ns.empty() ? device.busy_ns : device.launched_ns;
      sum_ns += static_cast<double>(ns[i]);
    }
    work_ns.push_back(sum_ns);
  }
  return work_ns.empty() ? 0 : stats::median_of(work_ns);
}

// Short and long cycles with about the same work for the devices are not of two types: something
// held the long ones up.
void join_types_of_equal_work(RankMeasure& measure) {
  constexpr double kOtherWork = 1.5;
  const double short_ns = median_work_ns(measure, analysis::CycleType::kShort);
  const double long_ns = median_work_ns(measure, analysis::CycleType::kLong);
  if (short_ns == 0 || long_ns == 0 || long_ns >= kOtherWork * short_ns) return;
  for (analysis::Cycle& cycle : measure.cycles.cycles) cycle.type = analysis::CycleType::kStep;
}

// States of the machine may begin before the program.
std::int64_t origin_of(const Trace& trace) {
  const auto is_own = [](SliceKind kind) { return kind != SliceKind::kCondition; };
  return extent_of_kinds(trace.slices(), is_own).start_ns;
}

// What the first cycles take says nothing about the others. Each type of cycles has its own: a
// prefill is no warm-up of decode steps.
void leave_out_warm_up(RankMeasure& measure) {
  std::map<analysis::CycleType, std::vector<std::size_t>> by_type;
  std::vector<analysis::Cycle>& cycles = measure.cycles.cycles;
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    if (!cycles[i].has_inferred_border) by_type[cycles[i].type].push_back(i);
  }
  for (const auto& [type, places] : by_type) {
    std::vector<std::int64_t> lengths_ns;
    for (const std::size_t i : places) lengths_ns.push_back(cycles[i].interval.length_ns());
    const std::size_t warm_up = analysis::count_warm_up_cycles(lengths_ns);
    for (const std::size_t i : std::span(places).first(warm_up)) {
      cycles[i].is_warm_up = true;
      for (DeviceCycles& device : measure.devices) device.is_partial[i] = true;
    }
  }
}

}  // namespace

std::string RankMeasure::chip_of(const std::string& device) const {
  const auto found = std::ranges::find(devices, device, &DeviceCycles::device);
  return found == devices.end() ? std::string() : found->chip;
}

bool RankMeasure::is_usable(const std::string& device, std::size_t cycle) const {
  const auto found = std::ranges::find(devices, device, &DeviceCycles::device);
  return found == devices.end() || !found->is_partial[cycle];
}

RankMeasure measure_cycles(const RankCapture& capture, analysis::CycleList cycles,
                           bool keep_partial) {
  RankMeasure result;
  result.rank = capture.rank;
  result.path = capture.path;
  result.origin_ns = origin_of(*capture.trace);
  result.cycles = std::move(cycles);
  result.remarks = remarks_of(capture);
  const std::vector<analysis::Cycle>& found = result.cycles.cycles;
  if (found.empty()) return result;
  const analysis::AttributedTrace input = analysis::attribute_trace(*capture.trace);
  const TimeParts marks(found);  // a call, and the work it launches, belong to where the host is
  follow_device(input, result.cycles);

  const TimeParts parts(found);
  const Interval window{std::min(marks[0].start_ns, parts[0].start_ns),
                        std::max(marks[marks.size() - 1].end_ns, parts[parts.size() - 1].end_ns)};
  const FunctionIndex index =
      index_functions(*capture.trace, result.cycles.marker_slices, window, LateWork::kIncluded);
  FunctionTimes times =
      add_up_functions(*capture.trace, index, {.cycles = parts, .host_marks = marks});
  MetricsOfRank metrics = average_metrics(capture, index, times.devices, parts);
  WaitTimes waits = measure_wait_times(input, index, parts);
  result.functions = std::move(times.functions);
  result.devices = device_cycles(*capture.trace, index, times.devices, parts, found, keep_partial);
  result.series = std::move(metrics.series);
  result.metrics = std::move(metrics.metrics);
  result.idle = std::move(waits.idle);
  result.launches = std::move(waits.launches);
  if (!result.launches.empty()) {
    add_launched_work(add_up_launched_work(input, index, marks), result);
  }
  join_types_of_equal_work(result);
  if (!keep_partial) leave_out_warm_up(result);
  result.has_frames = std::ranges::find(capture.trace->slices().kinds, SliceKind::kPythonCall) !=
                      capture.trace->slices().kinds.end();
  result.remarks.insert(result.remarks.end(), metrics.remarks.begin(), metrics.remarks.end());
  return result;
}

Result<RankMeasure> measure(const RankCapture& capture, const MeasureOptions& options) {
  STROBE_TRY(analysis::CycleList cycles, analysis::find_cycles(*capture.trace, options.cycles));
  return measure_cycles(capture, std::move(cycles), options.keep_partial);
}

}  // namespace strobe::compare
