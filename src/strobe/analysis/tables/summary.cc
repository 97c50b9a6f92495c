#include "strobe/analysis/tables/summary.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "strobe/analysis/launches/attribution.h"
#include "strobe/analysis/steps/step_breakdown.h"
#include "strobe/analysis/steps/steps.h"
#include "strobe/analysis/tables/classic.h"
#include "strobe/analysis/tables/flops.h"
#include "strobe/analysis/tables/memory.h"
#include "strobe/analysis/tables/samples.h"
#include "strobe/analysis/tables/steady_time.h"
#include "strobe/analysis/tables/tables.h"
#include "strobe/analysis/waits/waits.h"
#include "strobe/trace/extent.h"

namespace strobe::analysis {
namespace {

class Hull {
 public:
  void add(Interval interval) {
    hull_.start_ns = std::min(hull_.start_ns, interval.start_ns);
    hull_.end_ns = std::max(hull_.end_ns, interval.end_ns);
  }
  bool empty() const { return hull_.start_ns > hull_.end_ns; }
  Interval interval() const { return empty() ? Interval{} : hull_; }

 private:
  Interval hull_{std::numeric_limits<std::int64_t>::max(),
                 std::numeric_limits<std::int64_t>::min()};
};

Hull host_hull(const AttributedTrace& input) {
  const OpTree& tree = input.tree;
  Hull hull;
  for (const HostThread& thread : tree.threads) {
    for (std::size_t i = thread.root.index() + 1; i < thread.end.index();
         i = tree.subtree_ends[i].index()) {
      hull.add(input.trace.interval(tree.slices[i]));
    }
  }
  for (const SliceId call : input.attribution.calls.slices) hull.add(input.trace.interval(call));
  return hull;
}

std::vector<Step> chosen_from(std::vector<Step> steps, const std::optional<StepSelection>& chosen) {
  if (!chosen) return steps;
  const std::size_t end = chosen->last < steps.size() ? chosen->last + 1 : steps.size();
  const std::size_t begin = std::min(chosen->first, end);
  return {steps.begin() + static_cast<std::ptrdiff_t>(begin),
          steps.begin() + static_cast<std::ptrdiff_t>(end)};
}

std::vector<Interval> intervals_of(const std::vector<Step>& steps) {
  std::vector<Interval> intervals;
  intervals.reserve(steps.size());
  for (const Step& step : steps) intervals.push_back(step.interval);
  return intervals;
}

// The classic tables know no interpreter frames.
Interval whole_extent(const AttributedTrace& input) {
  return input.tree.rules == TreeRules::kCompatible ? extent_without_frames(input.trace)
                                                    : input.trace.extent();
}

Interval hull_of(const IntervalSet& set) {
  return set.empty() ? Interval{} : Interval{set.front().start_ns, set.back().end_ns};
}

// The whole trace, or the chosen time, as a nameless step of every process.
std::vector<StepRow> break_down_whole(const AttributedTrace& input,
                                      const std::optional<IntervalSet>& within) {
  Step whole;
  whole.interval = within ? hull_of(*within) : whole_extent(input);
  if (whole.interval.length_ns() == 0) return {};
  return break_down_steps(input, {whole}, {add_up_all_launches(input)});
}

std::uint64_t count_orphans(const Attribution::Works& works) {
  std::uint64_t count = 0;
  for (std::size_t work = 0; work < works.size(); ++work) count += works.is_orphan(work) ? 1 : 0;
  return count;
}

// What a summary is made from.
struct Scope {
  const AttributedTrace& launched;    // what the selected steps launched, or everything
  const AttributedTrace& whole;       // everything, selected or not
  const std::vector<Step>& steps;     // the selected ones
  std::optional<IntervalSet> within;  // their time, if not everything is selected
  bool cover_all_threads = false;

  TimeSelection selection() const { return within ? TimeSelection(*within) : TimeSelection(); }
};

// The host's time: that of the steps or, without any, from its first slice to its last.
IntervalSet host_time(const Scope& scope, Interval extent) {
  if (!scope.steps.empty()) return union_of(intervals_of(scope.steps));
  const Hull host = host_hull(scope.launched);
  return {host.empty() ? extent : host.interval()};
}

std::uint64_t count_slices(const TypeTables& types) {
  std::uint64_t count = 0;
  for (const TypeRow& row : types.host) count += row.calls;
  for (const TypeRow& row : types.device) count += row.calls;
  return count;
}

IntervalSet span_of(const Scope& scope) {
  return scope.within ? *scope.within : IntervalSet{scope.whole.trace.extent()};
}

void add_own_tables(const Scope& scope, const std::vector<StepLaunches>& launches,
                    Summary& summary) {
  const IntervalSet span = span_of(scope);
  summary.extent = scope.within ? hull_of(span) : span.front();
  const IntervalSet base = host_time(scope, summary.extent);
  summary.span_ns = total_ns(span);
  summary.total_ns = total_ns(base);
  summary.devices = list_devices(scope.whole, scope.within);
  ModelPhases model =
      list_phases(scope.launched, scope.steps, launches, scope.cover_all_threads, base);
  summary.phases = std::move(model.phases);
  summary.outside_phases_ns = model.outside_ns;
  summary.communication = add_up_communication(scope.whole, scope.within);
  summary.waits = measure_waits(scope.whole, span, summary.has_steps ? base : IntervalSet{});
}

// What only a page shows.
void add_kinds(const Scope& scope, Summary& summary) {
  TypeTables types = list_types(scope.launched, scope.selection(), span_of(scope));
  summary.slices = count_slices(types);
  summary.host_types = std::move(types.host);
  summary.device_types = std::move(types.device);
}

Interval classic_extent(const Scope& scope) {
  const AttributedTrace& input = scope.launched;
  if (!scope.within) return whole_extent(input);
  Hull hull = host_hull(input);
  for (const SliceId work : input.attribution.works.slices) hull.add(input.trace.interval(work));
  return hull.interval();
}

void add_classic_tables(const Scope& scope, const std::vector<StepLaunches>& launches,
                        Summary& summary) {
  const AttributedTrace& input = scope.launched;
  const std::vector<BackwardRange> backward = find_backward_ranges(input, scope.steps);
  summary.extent = classic_extent(scope);
  summary.span_ns = summary.extent.length_ns();
  summary.total_ns = total_ns(host_time(scope, summary.extent));
  summary.slices = input.trace.slice_count();
  summary.devices = list_devices(input);
  summary.host_types = list_classic_host_types(input, scope.selection(), backward);
  summary.device_types = list_work_types(input);
  summary.phases = list_classic_phases(input, scope.steps, launches, scope.cover_all_threads,
                                       backward, summary.total_ns);
  summary.communication = add_up_classic_communication(input);
}

// The tables that both rules make alike, from different trees.
void add_common_tables(const Scope& scope, const SummaryOptions& options, Summary& summary) {
  const AttributedTrace& input = scope.launched;
  summary.threads = list_threads(input, scope.whole, scope.within);
  summary.device_time_ns = input.attribution.works.device_sums_ns.back();
  const std::vector<std::uint64_t> flops =
      options.with_flops ? estimate_flops(input) : std::vector<std::uint64_t>();
  summary.operators = list_operators(input, flops, options.separate_threads);
  summary.kernels = list_kernels(input);
  summary.memory_ranges = list_memory_ranges(input);
  summary.user_ranges = list_user_ranges(input, options.separate_threads);
  summary.memory = list_memory_places(input, scope.within);
  summary.orphan_device_slices = count_orphans(input.attribution.works);
}

void note_model_and_communication(Summary& summary) {
  summary.has_model = summary.phases.size() > 1;
  summary.has_communication =
      summary.communication.host_calls > 0 || summary.communication.device_calls > 0;
}

bool covers_all_threads(const Trace& trace, const SummaryOptions& options) {
  return options.steps_cover_all_threads.value_or(trace.traits().steps_cover_all_threads);
}

// The rows of a summary from its steady steps on: what they consist of is known.
void take_steps_from(const Summary& summary, const std::vector<Step>& steps, Interval time,
                     std::vector<Step>& steady_steps, Summary& steady) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Interval step = steps[i].interval;
    if (step.start_ns < time.start_ns || step.end_ns > time.end_ns) continue;
    steady_steps.push_back(steps[i]);
    steady.steps.push_back(summary.steps[i]);
  }
}

std::vector<StepLaunches> known_launches(const std::vector<StepRow>& steps) {
  std::vector<StepLaunches> launches;
  launches.reserve(steps.size());
  for (const StepRow& step : steps) launches.push_back({step.kernel_ns, step.device_ns});
  return launches;
}

// `summary` is that of `steps`.
std::shared_ptr<const Summary> summarize_steady_part(const AttributedTrace& whole,
                                                     const Summary& summary,
                                                     const std::vector<Step>& steps,
                                                     SummaryOptions options) {
  const std::optional<IntervalSet> time = find_steady_time(whole, summary);
  if (!time) return nullptr;
  options.with_flops = false;
  auto steady = std::make_shared<Summary>();
  steady->cycles = summary.cycles;
  steady->origin_ns = summary.origin_ns;
  steady->has_steps = summary.has_steps;
  std::vector<Step> after;
  if (summary.has_steps) take_steps_from(summary, steps, hull_of(*time), after, *steady);
  steady->selected_steps = intervals_of(after);
  const AttributedTrace launched =
      attribute_trace(whole.trace, TimeSelection(*time), options.rules);
  const Scope scope{launched, whole, after, time, covers_all_threads(whole.trace, options)};
  if (!summary.has_steps) steady->steps = break_down_whole(launched, scope.within);
  add_common_tables(scope, options, *steady);
  add_own_tables(scope, known_launches(steady->steps), *steady);
  note_model_and_communication(*steady);
  return steady;
}

}  // namespace

DeviceUse device_use(const Summary& summary) {
  DeviceUse use;
  for (const DeviceRow& device : summary.devices) {
    use.busy_ns += device.busy_ns;
    use.span_ns += summary.span_ns;
  }
  return use;
}

std::span<const StepRow> steady_steps(const Summary& summary) {
  return std::span(summary.steps).subspan(summary.warm_up.cycles);
}

std::size_t bytes_to_summarize(const Trace& trace) {
  constexpr std::size_t kBytesPerSlice = 64;  // measured: 40 to 50
  return kBytesPerSlice * trace.slice_count();
}

Summary summarize(const Trace& trace, const SummaryOptions& options) {
  const bool is_classic = options.rules == TreeRules::kCompatible;
  Summary summary;
  const std::vector<Step> steps = chosen_from(
      is_classic ? list_steps(trace) : steps_or_cycles(trace, summary.cycles), options.steps);
  summary.origin_ns = earliest_start_ns(trace);
  summary.has_steps = !steps.empty();
  summary.selected_steps = intervals_of(steps);

  std::optional<IntervalSet> within;
  std::optional<AttributedTrace> selected;
  if (options.steps && summary.has_steps) within = union_of(summary.selected_steps);
  if (within) {
    selected.emplace(attribute_trace(trace, TimeSelection(*within), options.rules));
  }
  const AttributedTrace whole = attribute_trace(trace, {}, options.rules);
  const Scope scope{selected ? *selected : whole, whole, steps, std::move(within),
                    covers_all_threads(trace, options)};

  const std::vector<StepLaunches> launches =
      add_up_step_launches(scope.launched, steps, scope.cover_all_threads);
  // A step may be busy with work that an earlier, unselected one launched.
  summary.steps = summary.has_steps ? break_down_steps(scope.whole, scope.steps, launches)
                                    : break_down_whole(scope.launched, scope.within);
  add_common_tables(scope, options, summary);
  if (is_classic) {
    add_classic_tables(scope, launches, summary);
  } else {
    add_own_tables(scope, launches, summary);
    add_kinds(scope, summary);
    summary.warm_up = find_warm_up(summary.selected_steps);
    summary.steady = summarize_steady_part(whole, summary, steps, options);
    summary.samples =
        list_samples(trace, summary.steady ? std::optional(summary.steady->extent) : std::nullopt);
  }
  note_model_and_communication(summary);
  return summary;
}

}  // namespace strobe::analysis
