#include "strobe/analysis/tables/summary.h"

#include <algorithm>
#include <limits>

#include "strobe/analysis/launches/attribution.h"
#include "strobe/analysis/steps/step_breakdown.h"
#include "strobe/analysis/steps/steps.h"
#include "strobe/analysis/tables/flops.h"
#include "strobe/analysis/tables/memory.h"
#include "strobe/analysis/tables/tables.h"

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

Interval extent_of_trace(const AttributedTrace& input, const TimeSelection& selection) {
  if (selection.is_everything()) return input.trace.extent();
  Hull hull = host_hull(input);
  for (const SliceId work : input.attribution.works.slices) hull.add(input.trace.interval(work));
  return hull.interval();
}

std::vector<Step> selected_steps(const Trace& trace, const std::optional<StepSelection>& chosen) {
  std::vector<Step> steps = list_steps(trace);
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

std::vector<Interval> intervals_of(const std::vector<BackwardRange>& ranges) {
  std::vector<Interval> intervals;
  intervals.reserve(ranges.size());
  for (const BackwardRange& range : ranges) intervals.push_back(range.interval);
  return intervals;
}

// The whole trace as a nameless step of every process.
std::vector<StepRow> break_down_whole(const AttributedTrace& input) {
  Step whole;
  whole.interval = input.trace.extent();
  if (whole.interval.length_ns() == 0) return {};
  return break_down_steps(input, {whole}, {add_up_all_launches(input)});
}

std::uint64_t count_orphans(const Attribution::Works& works) {
  std::uint64_t count = 0;
  for (std::size_t work = 0; work < works.size(); ++work) count += works.is_orphan(work) ? 1 : 0;
  return count;
}

}  // namespace

DeviceUse device_use(const Summary& summary) {
  DeviceUse use;
  for (const DeviceRow& device : summary.devices) {
    use.busy_ns += device.busy_ns;
    use.span_ns += summary.extent.length_ns();
  }
  return use;
}

Summary summarize(const Trace& trace, const SummaryOptions& options) {
  const bool cover_all_threads =
      options.steps_cover_all_threads.value_or(trace.traits().steps_cover_all_threads);
  const std::vector<Step> steps = selected_steps(trace, options.steps);
  const TimeSelection selection = options.steps && !steps.empty()
                                      ? TimeSelection(union_of(intervals_of(steps)))
                                      : TimeSelection();
  const AttributedTrace input = attribute_trace(trace, selection);
  const std::vector<StepLaunches> launches = add_up_step_launches(input, steps, cover_all_threads);
  const std::vector<BackwardRange> backward = find_backward_ranges(input, steps);

  Summary summary;
  summary.has_steps = !steps.empty();
  summary.selected_steps = intervals_of(steps);
  summary.extent = extent_of_trace(input, selection);
  if (summary.has_steps) {
    summary.total_ns = total_ns(union_of(summary.selected_steps));
  } else {
    const Hull host = host_hull(input);
    summary.total_ns = (host.empty() ? summary.extent : host.interval()).length_ns();
  }
  if (!summary.has_steps) {
    summary.steps = break_down_whole(input);
  } else if (selection.is_everything()) {
    summary.steps = break_down_steps(input, steps, launches);
  } else {
    // A step may be busy with work that an earlier, unselected one launched.
    summary.steps = break_down_steps(attribute_trace(trace), steps, launches);
  }
  summary.devices = list_devices(input);
  summary.threads = list_threads(input);
  summary.host_types = list_host_types(input, selection, intervals_of(backward));
  summary.device_types = list_device_types(input);
  summary.phases =
      list_phases(input, steps, launches, cover_all_threads, backward, summary.total_ns);
  summary.has_model = summary.phases.size() > 1;
  summary.communication = add_up_communication(input);
  summary.has_communication =
      summary.communication.host_calls > 0 || summary.communication.device_calls > 0;
  const std::vector<std::uint64_t> flops =
      options.with_flops ? estimate_flops(input) : std::vector<std::uint64_t>();
  summary.operators = list_operators(input, flops, options.separate_threads);
  summary.kernels = list_kernels(input);
  summary.memory_ranges = list_memory_ranges(input);
  summary.user_ranges = list_user_ranges(input, options.separate_threads);
  summary.memory = list_memory_places(input);
  summary.orphan_device_slices = count_orphans(input.attribution.works);
  return summary;
}

}  // namespace strobe::analysis
