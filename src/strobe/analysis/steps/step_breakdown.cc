#include "strobe/analysis/steps/step_breakdown.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "strobe/base/interval.h"
#include "strobe/base/natural_sort.h"

namespace strobe::analysis {
namespace {

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

// Launches added up between the moments at which steps begin or end.
class LaunchesBetween {
 public:
  explicit LaunchesBetween(std::vector<std::int64_t> moments_ns)
      : moments_ns_(std::move(moments_ns)) {
    std::sort(moments_ns_.begin(), moments_ns_.end());
    moments_ns_.erase(std::unique(moments_ns_.begin(), moments_ns_.end()), moments_ns_.end());
    sums_.resize(moments_ns_.size() + 1);
  }
  // The sum for a launch at that time. Quick where times come in about ascending order.
  StepLaunches& at(std::int64_t time_ns) {
    while (place_ < moments_ns_.size() && moments_ns_[place_] <= time_ns) ++place_;
    while (place_ > 0 && moments_ns_[place_ - 1] > time_ns) --place_;
    return sums_[place_];
  }
  // Call it after the last launch.
  void add_up() {
    for (std::size_t i = 1; i < sums_.size(); ++i) {
      sums_[i].kernel_ns += sums_[i - 1].kernel_ns;
      sums_[i].device_ns += sums_[i - 1].device_ns;
    }
  }
  // After add_up(): all launches before a moment.
  StepLaunches before(std::int64_t moment_ns) const {
    const auto found = std::lower_bound(moments_ns_.begin(), moments_ns_.end(), moment_ns);
    return sums_[static_cast<std::size_t>(found - moments_ns_.begin())];
  }

 private:
  std::vector<std::int64_t> moments_ns_;
  std::vector<StepLaunches> sums_;  // of the launches from one moment to the next
  std::size_t place_ = 0;
};

// The launches of one process, or of all if it is invalid.
LaunchesBetween launches_of(const AttributedTrace& input, const std::vector<Step>& steps,
                            StringId process) {
  std::vector<std::int64_t> moments_ns;
  for (const Step& step : steps) {
    if (step.process != process) continue;
    moments_ns.push_back(step.interval.start_ns);
    moments_ns.push_back(step.interval.end_ns);
  }
  LaunchesBetween launches(std::move(moments_ns));
  for (std::size_t work = 0; work < input.attribution.works.size(); ++work) {
    const SliceId launch = input.launch_of(work);
    if (!launch.valid() || !input.attribution.works.owners[work].valid()) continue;
    if (process.valid() && input.trace.track(launch).process != process) continue;
    add_work(input, work, launches.at(input.trace.start_ns(launch)));
  }
  launches.add_up();
  return launches;
}

}  // namespace

std::vector<StepLaunches> add_up_step_launches(const AttributedTrace& input,
                                               const std::vector<Step>& steps,
                                               bool cover_all_threads) {
  std::vector<StepLaunches> sums(steps.size());
  const bool are_marked = !steps.empty() && !steps.front().slices.empty();
  if (!cover_all_threads && are_marked) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      for (const SliceId slice : steps[i].slices) {
        const NodeId node = find_node(input.trace, input.tree, slice);
        if (!node.valid()) continue;
        sums[i].kernel_ns += input.kernel_ns(node);
        sums[i].device_ns += input.device_ns(node);
      }
    }
    return sums;
  }
  for (const StringId process : processes_of(steps)) {
    const LaunchesBetween launches = launches_of(input, steps, process);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].process != process) continue;
      const StepLaunches before = launches.before(steps[i].interval.start_ns);
      const StepLaunches until = launches.before(steps[i].interval.end_ns);
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
  const SliceId launch = input.launch_of(work);
  return launch.valid() ? input.trace.track(launch).process : StringId();
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

// Calls `use` with the outermost ranges of a thread: those below are covered by them. A step only
// marks time, so ranges below it count.
template <class Use>
void for_each_outer_range(const OpTree& tree, const HostThread& thread, Use use) {
  for (std::size_t i = thread.root.index() + 1; i < thread.end.index();) {
    const bool is_step = tree.roles[i] == SliceKind::kStep;
    if (!is_step) use(tree.slices[i]);
    i = is_step ? i + 1 : tree.subtree_ends[i].index();
  }
}

IntervalSet ranges_of(const AttributedTrace& input, const HostThread& thread) {
  std::size_t count = 0;
  for_each_outer_range(input.tree, thread, [&](SliceId) { ++count; });
  GrowingUnion ranges;
  ranges.reserve(count);
  for_each_outer_range(input.tree, thread,
                       [&](SliceId slice) { ranges.add(input.trace.interval(slice)); });
  return ranges.take();
}

IntervalSet calls_of(const AttributedTrace& input, std::size_t thread) {
  const auto& calls = input.attribution.calls;
  GrowingUnion in_calls;
  in_calls.reserve(calls.thread_begins[thread + 1] - calls.thread_begins[thread]);
  for (std::size_t i = calls.thread_begins[thread]; i < calls.thread_begins[thread + 1]; ++i) {
    in_calls.add(input.trace.interval(calls.slices[i]));
  }
  return in_calls.take();
}

void collect_host(const AttributedTrace& input, StringId process, LabelSets& sets) {
  std::vector<IntervalSet> calls;
  std::vector<IntervalSet> ranges;
  for (std::size_t t = 0; t < input.tree.threads.size(); ++t) {
    const HostThread& thread = input.tree.threads[t];
    if (process.valid() && thread.process != process) continue;
    if (IntervalSet set = calls_of(input, t); !set.empty()) calls.push_back(std::move(set));
    if (IntervalSet set = ranges_of(input, thread); !set.empty()) ranges.push_back(std::move(set));
  }
  sets[index_of(StepLabel::kRuntime)] = union_of_all(std::move(calls));
  sets[index_of(StepLabel::kHost)] = union_of_all(std::move(ranges));
}

bool is_on_host(const Trace& trace, SliceId slice, StringId process) {
  const Track& track = trace.track(slice);
  return (!process.valid() || track.process == process) && track.kind != TrackKind::kDeviceStream;
}

// Slices that are not in the trees: interpreter frames and slices of unknown kind.
void collect_loose_host(const AttributedTrace& input, StringId process, LabelSets& sets) {
  const Trace& trace = input.trace;
  std::vector<Interval> host;
  std::vector<Interval> latest(trace.tracks().size());  // frames nest, so most are inside it
  for (const SliceId slice : input.attribution.loose_slices) {
    const SliceKind kind = trace.kind(slice);
    if (kind != SliceKind::kPythonCall && kind != SliceKind::kOther) continue;
    if (!is_on_host(trace, slice, process)) continue;
    const std::size_t track = trace.slices().tracks[slice.index()].index();
    const Interval interval = trace.interval(slice);
    if (interval.start_ns < latest[track].start_ns || interval.end_ns > latest[track].end_ns) {
      host.push_back(interval);
      latest[track] = interval;
    }
  }
  if (host.empty()) return;
  auto& host_set = sets[index_of(StepLabel::kHost)];
  host_set = union_of(host_set, union_of(std::move(host)));
}

// Data loading is in the trees, but may be below other ranges.
void collect_data_loading(const Trace& trace, StringId process, LabelSets& sets) {
  const auto& kinds = trace.slices().kinds;
  std::vector<Interval> loading;
  for (auto at = kinds.begin();
       (at = std::find(at, kinds.end(), SliceKind::kDataLoader)) != kinds.end(); ++at) {
    const SliceId slice(static_cast<std::size_t>(at - kinds.begin()));
    if (is_on_host(trace, slice, process)) loading.push_back(trace.interval(slice));
  }
  sets[index_of(StepLabel::kDataLoader)] = union_of(std::move(loading));
}

// The time of a step by label: at each moment the first label whose set holds it.
class LabelledTime {
 public:
  LabelledTime(const LabelSets& sets, StepRow& row) : row_(row) {
    for (std::size_t label = 0; label < sets.size(); ++label) {
      const auto next =
          std::ranges::upper_bound(sets[label], row.interval.start_ns, {}, &Interval::end_ns);
      if (next != sets[label].end()) cursors_.push_back({label, next, sets[label].end()});
    }
  }

  void fill() {
    if (!cursors_.empty()) add(row_.interval, 0);
    std::int64_t labelled_ns = 0;
    for (const Cursor& cursor : cursors_) labelled_ns += row_.label_ns[cursor.label];
    row_.label_ns[index_of(StepLabel::kIdle)] = row_.interval.length_ns() - labelled_ns;
  }

 private:
  struct Cursor {
    std::size_t label;
    IntervalSet::const_iterator next;  // the first that has not ended
    IntervalSet::const_iterator end;
  };

  // `part`: what the labels before the cursor `level` do not hold. By ascending time.
  void add(Interval part, std::size_t level) {
    Cursor& cursor = cursors_[level];
    const bool is_last = level + 1 == cursors_.size();
    while (cursor.next != cursor.end && cursor.next->end_ns <= part.start_ns) ++cursor.next;
    for (; cursor.next != cursor.end && cursor.next->start_ns < part.end_ns; ++cursor.next) {
      const std::int64_t start_ns = std::max(cursor.next->start_ns, part.start_ns);
      const std::int64_t end_ns = std::min(cursor.next->end_ns, part.end_ns);
      if (!is_last && part.start_ns < start_ns) add({part.start_ns, start_ns}, level + 1);
      row_.label_ns[cursor.label] += end_ns - start_ns;
      part.start_ns = end_ns;
      if (end_ns == part.end_ns) return;
    }
    if (!is_last) add(part, level + 1);
  }

  StepRow& row_;
  std::vector<Cursor> cursors_;  // by label
};

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
    rows[i].name = name_of(input.trace, steps[i]);
    rows[i].interval = steps[i].interval;
    rows[i].kernel_ns = launches[i].kernel_ns;
    rows[i].device_ns = launches[i].device_ns;
  }
  for (const StringId process : processes) {
    LabelSets sets;
    collect_device(input, process, processes.size() == 1, sets);
    collect_host(input, process, sets);
    collect_loose_host(input, process, sets);
    collect_data_loading(input.trace, process, sets);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].process == process) LabelledTime(sets, rows[i]).fill();
    }
  }
  return rows;
}

}  // namespace strobe::analysis
