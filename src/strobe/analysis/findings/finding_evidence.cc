#include "strobe/analysis/findings/finding_evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "strobe/analysis/findings/finding_rules.h"
#include "strobe/base/row_index.h"
#include "strobe/base/text.h"

namespace strobe::analysis {
namespace {

bool contains(const Interval& interval, std::int64_t time_ns) {
  return time_ns >= interval.start_ns && time_ns < interval.end_ns;
}

std::int64_t middle_of(std::vector<std::int64_t>& values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// What one pass over the slices collects.
struct Collected {
  std::vector<std::int64_t> kernel_durations_ns;  // of those that compute
  std::vector<std::pair<StringId, std::int64_t>> collective_durations_ns;
  std::vector<SliceId> works;
  std::vector<SliceId> copies;  // of works
  RuntimeCalls calls;
};

// A runtime's launch may contain the driver's launch, which is the same one.
std::int64_t median_apart_ns(const Trace& trace, std::vector<SliceId> calls) {
  const auto& slices = trace.slices();
  std::sort(calls.begin(), calls.end(), [&](SliceId a, SliceId b) {
    return std::tuple(slices.tracks[a.index()], trace.start_ns(a)) <
           std::tuple(slices.tracks[b.index()], trace.start_ns(b));
  });
  std::vector<std::int64_t> apart_ns;
  SliceId last;
  for (const SliceId call : calls) {
    const bool same_thread =
        last.valid() && slices.tracks[last.index()] == slices.tracks[call.index()];
    if (same_thread && trace.start_ns(call) < trace.end_ns(last)) continue;
    if (same_thread) apart_ns.push_back(trace.start_ns(call) - trace.start_ns(last));
    last = call;
  }
  return middle_of(apart_ns);
}

// One call of such a name launches many kernels.
bool launches_graphs(const RuntimeCallRow& row) { return device::is_graph_launch(row.name); }

void gather_launches(Evidence& evidence, const std::vector<SliceId>& calls) {
  const Trace& trace = evidence.trace;
  std::vector<std::int64_t> time_of_names_ns(trace.strings().size());
  LaunchCalls& launches = evidence.launches;
  std::int64_t most_ns = -1;
  const auto name_of_call = [&](SliceId call) {
    return trace.slices().names[call.index()].index();
  };
  std::vector<std::int64_t> durations_ns;
  durations_ns.reserve(calls.size());
  for (const SliceId call : calls) {
    launches.time.add(trace.duration_ns(call));
    durations_ns.push_back(trace.duration_ns(call));
    time_of_names_ns[name_of_call(call)] += trace.duration_ns(call);
  }
  for (const SliceId call : calls) {
    if (time_of_names_ns[name_of_call(call)] <= most_ns) continue;
    most_ns = time_of_names_ns[name_of_call(call)];
    launches.longest = std::string(trace.name(call));
  }
  launches.median_ns = middle_of(durations_ns);
  launches.apart_ns = median_apart_ns(trace, calls);
  std::uint64_t most_works = 0;
  for (const StreamRow& stream : evidence.summary.waits.streams) {
    if (stream.with_launch <= most_works) continue;
    most_works = stream.with_launch;
    launches.late_ns = stream.p90_delay_ns;
    launches.stream = stream.stream;
  }
  const auto& rows = evidence.summary.waits.calls;
  launches.use_graphs = std::any_of(rows.begin(), rows.end(), launches_graphs);
}

// See LaunchCalls::known_kernels. Calls that wait for their kernels take more time than those.
void count_blocking_launches(Evidence& evidence, const Collected& collected) {
  LaunchCalls& launches = evidence.launches;
  if (launches.time.total_ns < evidence.kernels.total_ns) return;
  const Trace& trace = evidence.trace;
  const auto& calls = collected.calls;
  const std::uint64_t most_others = collected.works.size() / 20;
  for (const SliceId work : collected.works) {
    if (trace.kind(work) != SliceKind::kKernel) continue;
    const SliceId call = calls.call_of(trace, work);
    if (!std::binary_search(calls.launches.begin(), calls.launches.end(), call)) continue;
    ++launches.known_kernels;
    const bool is_inside =
        trace.start_ns(call) <= trace.start_ns(work) && trace.end_ns(work) <= trace.end_ns(call);
    if (is_inside) ++launches.kernels_inside;
    if (launches.known_kernels - launches.kernels_inside > most_others) return;
  }
}

void collect_device_work(Evidence& evidence, SliceId slice, Collected& collected) {
  const Trace& trace = evidence.trace;
  evidence.last_device_end_ns = evidence.device_slices == 0
                                    ? trace.end_ns(slice)
                                    : std::max(evidence.last_device_end_ns, trace.end_ns(slice));
  ++evidence.device_slices;
  collected.works.push_back(slice);
  if (trace.kind(slice) == SliceKind::kMemcpy) collected.copies.push_back(slice);
  if (trace.kind(slice) != SliceKind::kKernel) return;
  if ((trace.slices().flags[slice.index()] & SliceFlag::kCommunicates) == 0) {
    collected.kernel_durations_ns.push_back(trace.duration_ns(slice));
  } else {
    collected.collective_durations_ns.emplace_back(trace.slices().names[slice.index()],
                                                   trace.duration_ns(slice));
  }
}

Collected collect_slices(Evidence& evidence) {
  const auto& slices = evidence.trace.slices();
  OncePerName purpose_of(evidence.trace.strings(), device::runtime_call);
  Collected collected;
  for (std::uint32_t row = 0; row < slices.size(); ++row) {
    const SliceKind kind = slices.kinds[row];
    evidence.has_operators = evidence.has_operators || kind == SliceKind::kOperator;
    evidence.has_frames = evidence.has_frames || kind == SliceKind::kPythonCall;
    if (kind != SliceKind::kRuntimeCall && !is_device_work(kind)) continue;
    if (!contains(evidence.summary.extent, slices.starts_ns[row])) continue;
    if (is_device_work(kind)) {
      collect_device_work(evidence, SliceId(row), collected);
    } else {
      collected.calls.add(evidence.trace, SliceId(row), purpose_of(slices.names[row]));
    }
  }
  collected.calls.sort();
  return collected;
}

void gather_kernels(Evidence& evidence, std::vector<std::int64_t>& durations_ns) {
  for (const std::int64_t duration_ns : durations_ns) {
    evidence.kernels.add(duration_ns);
    if (duration_ns < kTinyKernelNs) evidence.tiny_kernels.add(duration_ns);
  }
  evidence.median_kernel_ns = middle_of(durations_ns);
}

void gather_copies(Evidence& evidence, const Collected& collected) {
  const Trace& trace = evidence.trace;
  OncePerName direction_of(trace.strings(), device::copy_direction);
  OncePerName is_pinned(trace.strings(), [](std::string_view name) {
    return name.find("Pinned") != std::string_view::npos;
  });
  for (const SliceId copy : collected.copies) {
    const StringId name = trace.slices().names[copy.index()];
    CopyTimes& times = evidence.copies[static_cast<std::size_t>(direction_of(name))];
    times.device_ns += trace.duration_ns(copy);
    if (is_pinned(name)) times.pinned_ns += trace.duration_ns(copy);
    const SliceId call = collected.calls.call_of(trace, copy);
    if (call.valid()) times.call_ns += trace.duration_ns(call);
  }
}

// What a thread does around launches that come just in time for an idle device.
HeldMoments find_paced_range(const Evidence& evidence, const RuntimeCalls& calls) {
  constexpr std::int64_t kLongestPacedNs = 2'000'000;
  constexpr std::int64_t kPromptNs = 20'000;
  const Trace& trace = evidence.trace;
  std::vector<HostMoment> moments;
  for (const DeviceGap& gap : evidence.device_time.gaps) {
    if (gap.inside_ns == 0 || gap.interval.length_ns() >= kLongestPacedNs) continue;
    const SliceId call = calls.call_of(trace, gap.next_work);
    if (!call.valid() || trace.end_ns(call) <= gap.interval.start_ns) continue;
    if (gap.interval.end_ns - trace.end_ns(call) > kPromptNs) continue;
    moments.push_back({trace.slices().tracks[call.index()], trace.start_ns(call), gap.inside_ns});
  }
  if (moments.empty()) return {};
  return range_around(trace, std::move(moments), evidence.labelled_ns);
}

std::int64_t measure_outlasting(const Evidence& evidence, const Collected& collected) {
  if (!evidence.summary.has_steps || evidence.whole.empty()) return 0;
  const Trace& trace = evidence.trace;
  const std::int64_t last_step_ns = evidence.whole.back().end_ns;
  const std::int64_t first_step_ns = evidence.whole.front().start_ns;
  std::int64_t until_ns = last_step_ns;
  for (const SliceId work : collected.works) {
    if (trace.end_ns(work) <= until_ns) continue;
    const SliceId call = collected.calls.call_of(trace, work);
    if (!call.valid()) continue;
    const bool in_steps =
        trace.start_ns(call) >= first_step_ns && trace.start_ns(call) < last_step_ns;
    if (in_steps) until_ns = trace.end_ns(work);
  }
  return until_ns - last_step_ns;
}

bool has_compiled_regions(const Summary& summary) {
  const auto is_compiled = [](const auto& row) {
    return row.name.find("Compiled Region") != std::string::npos ||
           row.name.find("CompiledFxGraph") != std::string::npos;
  };
  for (const auto& group : summary.operators) {
    if (std::any_of(group.rows.begin(), group.rows.end(), is_compiled)) return true;
  }
  for (const auto& group : summary.user_ranges) {
    if (std::any_of(group.rows.begin(), group.rows.end(), is_compiled)) return true;
  }
  return false;
}

// Where the file is cut off, what comes after the last device work proves nothing.
void gather_steps(Evidence& evidence) {
  const Summary& summary = evidence.summary;
  const bool ends_early = evidence.context.is_cut_off && evidence.device_slices > 0;
  std::vector<Interval> steps;
  for (const StepRow& step : summary.steps) {
    Interval interval = step.interval;
    if (ends_early) {
      interval.end_ns = std::clamp(evidence.last_device_end_ns, interval.start_ns, interval.end_ns);
    }
    if (interval.length_ns() > 0) steps.push_back(interval);
    evidence.labelled_ns += interval.length_ns();
    for (std::size_t i = 0; i < kStepLabels; ++i) evidence.label_ns[i] += step.label_ns[i];
  }
  evidence.whole = union_of(std::move(steps));
}

bool is_step_name(const Summary& summary, const std::string& name) {
  return std::any_of(summary.steps.begin(), summary.steps.end(),
                     [&](const StepRow& step) { return step.name == name; });
}

std::int64_t time_in(IdlePart part, const Summary& summary, const IdleRow& row) {
  if (part == IdlePart::kOutsideSteps) return row.idle.total_ns - row.in_steps_ns;
  return summary.has_steps ? row.in_steps_ns : row.idle.total_ns;
}

IdleCause cause_of_row(const Summary& summary, const IdleRow& row, IdlePart part) {
  IdleCause cause;
  cause.kind = row.kind;
  cause.name = row.name;
  cause.gaps = row.idle;
  cause.inside_ns = cause.at_main_ns = time_in(part, summary, row);
  cause.longest = row.longest;
  cause.main_place = cause.longest_place = {row.inside, row.source};
  if (row.kind == IdleKind::kRuntimeCall) cause.purpose = device::runtime_call(row.name);
  if (row.kind == IdleKind::kRange && is_step_name(summary, row.name)) {
    cause.kind = IdleKind::kNothing;
    cause.name.clear();
  }
  return cause;
}

void add_to_cause(IdleCause& sum, const IdleCause& more) {
  sum.gaps.add(more.gaps);
  sum.inside_ns += more.inside_ns;
  if (more.longest.length_ns() <= sum.longest.length_ns()) return;
  sum.longest = more.longest;
  sum.longest_place = more.longest_place;
}

void measure_longest_inside(const Summary& summary, std::vector<IdleCause>& causes) {
  std::vector<Interval> intervals;
  for (const StepRow& step : summary.steps) intervals.push_back(step.interval);
  const IntervalSet steps = union_of(std::move(intervals));
  for (IdleCause& cause : causes) {
    cause.longest_inside_ns = summary.has_steps ? total_ns(intersection_of(steps, {cause.longest}))
                                                : cause.longest.length_ns();
  }
}

void sort_by_time_inside(std::vector<IdleCause>& causes) {
  std::stable_sort(causes.begin(), causes.end(), [](const IdleCause& a, const IdleCause& b) {
    return a.inside_ns > b.inside_ns;
  });
}

}  // namespace

std::vector<IdleCause> list_idle_causes(const Summary& summary, IdlePart part) {
  std::vector<IdleCause> rows;
  for (const IdleRow& row : summary.waits.idle) rows.push_back(cause_of_row(summary, row, part));
  // The largest row of each kind and name comes first and gives its place to the sum.
  std::stable_sort(rows.begin(), rows.end(), [](const IdleCause& a, const IdleCause& b) {
    return std::tie(a.kind, a.name, b.inside_ns) < std::tie(b.kind, b.name, a.inside_ns);
  });
  std::vector<IdleCause> causes;
  for (IdleCause& row : rows) {
    const bool is_same =
        !causes.empty() && causes.back().kind == row.kind && causes.back().name == row.name;
    if (is_same) {
      add_to_cause(causes.back(), row);
    } else {
      causes.push_back(std::move(row));
    }
  }
  measure_longest_inside(summary, causes);
  sort_by_time_inside(causes);
  return causes;
}

double Evidence::share_of(StepLabel label) const {
  return share_of_ns(label_ns[static_cast<std::size_t>(label)]);
}

double Evidence::share_of_ns(std::int64_t part_ns) const {
  return std::min(1.0, ratio_ns(part_ns, labelled_ns));
}

std::string_view Evidence::step_word() const { return summary.cycles ? "cycle" : "step"; }

std::string Evidence::steps_text() const {
  return fmt::format("the {}{}", step_word(), summary.steps.size() == 1 ? "" : "s");
}

std::string Evidence::whole_text() const {
  std::string text = is_steady ? "the trace after the start-up" : "the trace";
  if (summary.has_steps) {
    text = summary.steps.size() == 1 ? steps_text()
                                     : fmt::format("the {}{} {}s", count_text(summary.steps.size()),
                                                   leaves_steps_out ? " steady" : "", step_word());
  }
  return context.is_cut_off && device_slices > 0 ? "what is left of " + text : text;
}

std::string_view Evidence::span_text() const {
  return is_steady ? "the span after the start-up" : "the span";
}

namespace {

// What remains has no known longest stretch: an average one takes its place.
void take_out_longest(std::int64_t end_ns, IdleCause& cause) {
  cause.inside_ns -= std::min(cause.inside_ns, cause.longest.length_ns());
  const auto others = static_cast<std::int64_t>(std::max<std::uint64_t>(2, cause.gaps.calls) - 1);
  const std::int64_t average_ns = std::min(cause.inside_ns / others, cause.longest.length_ns());
  cause.longest = {end_ns - average_ns, end_ns};
  cause.longest_inside_ns = average_ns;
}

// Takes the time after the last device work out of the causes: first their longest stretches, then
// the rest in equal parts, since nothing tells whose it is.
void leave_out_the_end(Evidence& evidence) {
  const std::int64_t before_ns = evidence.idle_ns;
  const Interval end = {evidence.last_device_end_ns,
                        std::max(evidence.last_device_end_ns, evidence.summary.extent.end_ns)};
  std::vector<Interval> steps;
  for (const StepRow& step : evidence.summary.steps) steps.push_back(step.interval);
  const std::int64_t end_ns = total_ns(intersection_of(union_of(std::move(steps)), {end}));
  evidence.idle_ns = std::max<std::int64_t>(0, before_ns - end_ns);
  std::int64_t left_ns = 0;
  for (IdleCause& cause : evidence.idle_causes) {
    if (end_ns > 0) cause.gaps.min_ns = 0;  // nobody knows how many are left
    if (cause.longest.start_ns >= end.start_ns) take_out_longest(end.start_ns, cause);
    left_ns += cause.inside_ns;
  }
  const double kept = std::min(1.0, ratio_ns(evidence.idle_ns, left_ns));
  for (IdleCause& cause : evidence.idle_causes) {
    cause.inside_ns = std::llround(kept * static_cast<double>(cause.inside_ns));
    cause.at_main_ns = std::llround(kept * static_cast<double>(cause.at_main_ns));
    cause.gaps.total_ns = cause.inside_ns;
  }
  sort_by_time_inside(evidence.idle_causes);
}

void gather_idle(Evidence& evidence) {
  if (evidence.device_slices == 0) return;  // without any, no device was idle
  const Waits& waits = evidence.summary.waits;
  evidence.idle_ns = evidence.summary.has_steps ? waits.idle_in_steps_ns : waits.idle_ns;
  evidence.idle_causes = list_idle_causes(evidence.summary);
  if (evidence.context.is_cut_off) leave_out_the_end(evidence);
}

}  // namespace

Evidence gather_evidence(const Trace& trace, const Summary& summary,
                         const FindingContext& context) {
  Evidence evidence(trace, summary);
  evidence.context = context;
  evidence.use = device_use(summary);
  evidence.is_compiled = has_compiled_regions(summary);
  Collected collected = collect_slices(evidence);
  gather_steps(evidence);
  gather_kernels(evidence, collected.kernel_durations_ns);
  gather_copies(evidence, collected);
  gather_launches(evidence, collected.calls.launches);
  count_blocking_launches(evidence, collected);
  gather_idle(evidence);
  evidence.long_collectives = find_long_collectives(std::move(collected.collective_durations_ns));
  evidence.outlasting_ns = measure_outlasting(evidence, collected);
  const bool has_first = summary.has_steps && summary.steps.size() > 1;
  evidence.device_time =
      measure_device_time(trace, std::move(collected.works), summary.extent, evidence.whole,
                          has_first ? summary.steps.front().interval : Interval{});
  evidence.waiting =
      measure_waiting(trace, summary, collected.calls, evidence.device_time.busy, evidence.whole);
  evidence.drains = measure_drains(trace, summary, collected.calls, evidence.waiting,
                                   evidence.device_time.gaps, evidence.labelled_ns);
  if (5 * summary.waits.paced_idle_ns >= evidence.labelled_ns) {
    evidence.paced_range = find_paced_range(evidence, collected.calls);
  }
  if (2 * evidence.device_time.long_gaps.inside_ns >= evidence.idle_ns) {
    evidence.stalled = find_stalled_places(trace, summary);
  }
  return evidence;
}

}  // namespace strobe::analysis
