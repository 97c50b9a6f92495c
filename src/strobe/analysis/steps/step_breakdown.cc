#include "strobe/analysis/steps/step_breakdown.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "strobe/base/interval.h"
#include "strobe/base/natural_sort.h"

namespace strobe::analysis {
namespace {

struct Launch {
  std::int64_t time_ns;
  StepLaunches sum;  // of this launch; later, of all up to this one
};

void add_work(const AttributedTrace& input, std::size_t work, StepLaunches& sum) {
  const SliceId slice = input.attribution.works.slices[work];
  const std::int64_t duration_ns = input.trace.duration_ns(slice);
  sum.device_ns += duration_ns;
  if (input.trace.kind(slice) == SliceKind::kKernel) sum.kernel_ns += duration_ns;
}

// In the order of their first steps.
std::vector<StringId> processes_of(const std::vector<Step>& steps) {
  std::vector<StringId> processes;
  for (const Step& step : steps) {
    if (std::find(processes.begin(), processes.end(), step.process) == processes.end()) {
      processes.push_back(step.process);
    }
  }
  return processes;
}

// The launches of one process by time, with running sums.
std::vector<Launch> launches_of(const AttributedTrace& input, StringId process) {
  const auto& calls = input.attribution.calls;
  const auto& works = input.attribution.works;
  std::vector<Launch> launches(calls.size());
  for (std::size_t i = 0; i < calls.size(); ++i) {
    launches[i].time_ns = input.trace.start_ns(calls.slices[i]);
  }
  for (std::size_t work = 0; work < works.size(); ++work) {
    const NodeId owner = works.owners[work];
    if (!owner.valid()) continue;
    if (works.calls[work].valid()) {
      add_work(input, work, launches[works.calls[work].index()].sum);
    } else if (!input.tree.is_thread(owner)) {
      // The call is unknown but its operator is known: the operator's time is used.
      const SliceId slice = input.tree.slices[owner.index()];
      if (input.trace.track(slice).process != process) continue;
      launches.push_back({input.trace.start_ns(slice), {}});
      add_work(input, work, launches.back().sum);
    }
  }
  for (std::size_t i = 0; i < input.tree.threads.size(); ++i) {
    if (input.tree.threads[i].process == process) continue;
    for (std::size_t j = calls.thread_begins[i]; j < calls.thread_begins[i + 1]; ++j) {
      launches[j].sum = {};
    }
  }
  natural_sort(launches, [](const Launch& a, const Launch& b) { return a.time_ns < b.time_ns; });
  StepLaunches running;
  for (Launch& launch : launches) {
    running.kernel_ns += launch.sum.kernel_ns;
    running.device_ns += launch.sum.device_ns;
    launch.sum = running;
  }
  return launches;
}

StepLaunches sum_before(const std::vector<Launch>& launches, std::int64_t time_ns) {
  const auto end = std::lower_bound(
      launches.begin(), launches.end(), time_ns,
      [](const Launch& launch, std::int64_t limit_ns) { return launch.time_ns < limit_ns; });
  return end == launches.begin() ? StepLaunches{} : (end - 1)->sum;
}

}  // namespace

std::vector<StepLaunches> add_up_step_launches(const AttributedTrace& input,
                                               const std::vector<Step>& steps,
                                               bool cover_all_threads) {
  std::vector<StepLaunches> sums(steps.size());
  if (!cover_all_threads) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      for (const SliceId slice : steps[i].slices) {
        const NodeId node = input.tree.nodes_of_slices[slice.index()];
        if (!node.valid()) continue;
        sums[i].kernel_ns += input.kernel_ns(node);
        sums[i].device_ns += input.device_ns(node);
      }
    }
    return sums;
  }
  for (const StringId process : processes_of(steps)) {
    const std::vector<Launch> launches = launches_of(input, process);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].process != process) continue;
      const StepLaunches before = sum_before(launches, steps[i].interval.start_ns);
      const StepLaunches until = sum_before(launches, steps[i].interval.end_ns);
      sums[i] = {until.kernel_ns - before.kernel_ns, until.device_ns - before.device_ns};
    }
  }
  return sums;
}

StepLaunches add_up_all_launches(const AttributedTrace& input) {
  StepLaunches sum;
  for (std::size_t work = 0; work < input.attribution.works.size(); ++work) {
    if (input.attribution.works.is_orphan(work) || !input.counts_work(work)) continue;
    add_work(input, work, sum);
  }
  return sum;
}

namespace {

using LabelSets = std::array<IntervalSet, kStepLabels>;

constexpr std::size_t index_of(StepLabel label) { return static_cast<std::size_t>(label); }

StepLabel label_of_work(SliceKind kind, std::uint8_t flags) {
  switch (kind) {
    case SliceKind::kMemcpy:
      return StepLabel::kMemcpy;
    case SliceKind::kMemset:
      return StepLabel::kMemset;
    default:
      return (flags & kCommunicates) != 0 ? StepLabel::kCommunication : StepLabel::kKernel;
  }
}

// The process that launched the work; invalid if unknown.
StringId process_of(const AttributedTrace& input, std::size_t work) {
  const auto& works = input.attribution.works;
  if (works.calls[work].valid()) {
    return input.trace.track(input.attribution.calls.slices[works.calls[work].index()]).process;
  }
  const NodeId owner = works.owners[work];
  if (!owner.valid() || input.tree.is_thread(owner)) return {};
  return input.trace.track(input.tree.slices[owner.index()]).process;
}

void collect_device(const AttributedTrace& input, StringId process, bool is_only_process,
                    LabelSets& sets) {
  const auto& works = input.attribution.works;
  const auto& slices = input.trace.slices();
  std::array<GrowingUnion, kStepLabels> unions;
  unions[index_of(StepLabel::kKernel)].reserve(works.size());
  for (const std::uint32_t work : works.time_order) {
    if (!is_only_process) {
      const StringId launcher = process_of(input, work);
      if (launcher.valid() && launcher != process) continue;
    }
    const SliceId slice = works.slices[work];
    const StepLabel label = label_of_work(slices.kinds[slice.index()], slices.flags[slice.index()]);
    unions[index_of(label)].add(input.trace.interval(slice));
  }
  for (std::size_t i = 0; i < unions.size(); ++i) {
    if (!unions[i].empty()) sets[i] = unions[i].take();
  }
}

// Ranges below another range are already covered by it, except below a step, which only marks time.
void collect_host(const AttributedTrace& input, StringId process, LabelSets& sets) {
  const OpTree& tree = input.tree;
  const auto& calls = input.attribution.calls;
  std::array<std::vector<IntervalSet>, kStepLabels> of_threads;
  for (std::size_t t = 0; t < tree.threads.size(); ++t) {
    if (process.valid() && tree.threads[t].process != process) continue;
    std::array<GrowingUnion, kStepLabels> unions;
    unions[index_of(StepLabel::kRuntime)].reserve(calls.thread_begins[t + 1] -
                                                  calls.thread_begins[t]);
    for (std::size_t i = calls.thread_begins[t]; i < calls.thread_begins[t + 1]; ++i) {
      unions[index_of(StepLabel::kRuntime)].add(input.trace.interval(calls.slices[i]));
    }
    for (std::size_t i = tree.threads[t].root.index() + 1; i < tree.threads[t].end.index();) {
      if (tree.roles[i] == SliceKind::kStep) {
        ++i;
        continue;
      }
      const Interval interval = input.trace.interval(tree.slices[i]);
      unions[index_of(StepLabel::kHost)].add(interval);
      i = tree.subtree_ends[i].index();
    }
    for (std::size_t i = 0; i < unions.size(); ++i) {
      if (!unions[i].empty()) of_threads[i].push_back(unions[i].take());
    }
  }
  for (std::size_t i = 0; i < of_threads.size(); ++i) {
    if (!of_threads[i].empty()) sets[i] = union_of_all(std::move(of_threads[i]));
  }
}

// Slices that are not in the trees: interpreter frames and slices of unknown kind. Data loading is
// in the trees, but may be below other ranges.
void collect_loose_host(const Trace& trace, StringId process, LabelSets& sets) {
  const auto& slices = trace.slices();
  std::vector<Interval> host;
  std::vector<Interval> loading;
  std::vector<Interval> latest(trace.tracks().size());  // frames nest, so most are inside it
  for (std::size_t row = 0; row < slices.size(); ++row) {
    const SliceKind kind = slices.kinds[row];
    if (kind != SliceKind::kPythonCall && kind != SliceKind::kOther &&
        kind != SliceKind::kDataLoader) {
      continue;
    }
    const std::size_t track = slices.tracks[row].index();
    if ((process.valid() && trace.tracks()[track].process != process) ||
        trace.tracks()[track].kind == TrackKind::kDeviceStream) {
      continue;
    }
    const Interval interval = trace.interval(SliceId(row));
    if (kind == SliceKind::kDataLoader) {
      loading.push_back(interval);
    } else if (interval.start_ns < latest[track].start_ns ||
               interval.end_ns > latest[track].end_ns) {
      host.push_back(interval);
      latest[track] = interval;
    }
  }
  if (!host.empty()) {
    auto& host_set = sets[index_of(StepLabel::kHost)];
    host_set = union_of(host_set, union_of(std::move(host)));
  }
  sets[index_of(StepLabel::kDataLoader)] = union_of(std::move(loading));
}

std::int64_t overlap_ns(const IntervalSet& set, Interval interval) {
  auto part = std::upper_bound(
      set.begin(), set.end(), interval.start_ns,
      [](std::int64_t time_ns, const Interval& other) { return time_ns < other.end_ns; });
  std::int64_t sum_ns = 0;
  for (; part != set.end() && part->start_ns < interval.end_ns; ++part) {
    sum_ns += std::min(part->end_ns, interval.end_ns) - std::max(part->start_ns, interval.start_ns);
  }
  return sum_ns;
}

// Subtracts the sets of the labels from the steps' time, one label after the other. The time that a
// set removes gets its label; the rest is idle.
void label_steps(const LabelSets& sets, const std::vector<StepRow*>& rows) {
  std::vector<Interval> intervals;
  std::vector<std::int64_t> left_ns;
  intervals.reserve(rows.size());
  left_ns.reserve(rows.size());
  for (const StepRow* row : rows) {
    intervals.push_back(row->interval);
    left_ns.push_back(row->interval.length_ns());
  }
  IntervalSet rest = union_of(std::move(intervals));
  for (std::size_t label = 0; label < index_of(StepLabel::kIdle); ++label) {
    if (sets[label].empty()) continue;
    rest = difference_of(rest, sets[label]);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::int64_t now_ns = overlap_ns(rest, rows[i]->interval);
      rows[i]->label_ns[label] = left_ns[i] - now_ns;
      left_ns[i] = now_ns;
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i]->label_ns[index_of(StepLabel::kIdle)] = left_ns[i];
  }
}

}  // namespace

std::string_view word_of(StepLabel label) {
  switch (label) {
    case StepLabel::kKernel:
      return "kernel";
    case StepLabel::kCommunication:
      return "communication";
    case StepLabel::kMemcpy:
      return "memcpy";
    case StepLabel::kMemset:
      return "memset";
    case StepLabel::kRuntime:
      return "runtime";
    case StepLabel::kDataLoader:
      return "data_loading";
    case StepLabel::kHost:
      return "host";
    case StepLabel::kIdle:
      return "idle";
  }
  return "idle";
}

std::vector<StepRow> break_down_steps(const AttributedTrace& input, const std::vector<Step>& steps,
                                      const std::vector<StepLaunches>& launches) {
  const std::vector<StringId> processes = processes_of(steps);
  std::vector<StepRow> rows(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].name.valid()) rows[i].name = std::string(input.trace.strings()[steps[i].name]);
    rows[i].interval = steps[i].interval;
    rows[i].kernel_ns = launches[i].kernel_ns;
    rows[i].device_ns = launches[i].device_ns;
  }
  for (const StringId process : processes) {
    LabelSets sets;
    collect_device(input, process, processes.size() == 1, sets);
    collect_host(input, process, sets);
    collect_loose_host(input.trace, process, sets);
    std::vector<StepRow*> of_process;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].process == process) of_process.push_back(&rows[i]);
    }
    label_steps(sets, of_process);
  }
  return rows;
}

}  // namespace strobe::analysis
