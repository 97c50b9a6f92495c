#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "strobe/analysis/tables/tables.h"

namespace strobe::analysis {
namespace {

// Steps of one process that overlap, as one.
std::vector<Step> joined(const std::vector<Step>& steps) {
  std::vector<Step> result;
  std::map<StringId, std::size_t> latest;
  for (const Step& step : steps) {
    const auto [last, is_first] = latest.try_emplace(step.process, result.size());
    if (is_first || step.interval.start_ns >= result[last->second].interval.end_ns) {
      last->second = result.size();
      result.push_back(step);
    } else {
      join(result[last->second].interval, step.interval);
    }
  }
  return result;
}

// What any thread launched in the time of the steps, each work once.
StepLaunches launched_in_any(const AttributedTrace& input, const std::vector<Step>& steps) {
  StepLaunches sum;
  for (const StepLaunches& one : add_up_step_launches(input, joined(steps), true)) {
    sum.kernel_ns += one.kernel_ns;
    sum.device_ns += one.device_ns;
  }
  return sum;
}

PhaseTotals totals_of_steps(const AttributedTrace& input, const std::vector<Step>& steps,
                            const std::vector<StepLaunches>& launches, bool cover_all_threads,
                            std::int64_t steps_ns) {
  PhaseTotals totals;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    totals.host.add(steps[i].interval.length_ns());
    totals.kernels.add(launches[i].kernel_ns);
    totals.device.add(launches[i].device_ns);
  }
  const bool steps_overlap = totals.host.total_ns != steps_ns;
  totals.host.total_ns = steps_ns;
  if (steps_overlap || !cover_all_threads) {
    const StepLaunches all = launched_in_any(input, steps);
    totals.kernels.total_ns = all.kernel_ns;
    totals.device.total_ns = all.device_ns;
  }
  return totals;
}

PhaseTotals totals_of_trace(const AttributedTrace& input, std::int64_t host_ns) {
  const StepLaunches all = add_up_all_launches(input);
  PhaseTotals totals;
  totals.host.add(host_ns);
  totals.kernels.add(all.kernel_ns);
  totals.device.add(all.device_ns);
  return totals;
}

// A phase that counts.
struct OutermostPhase {
  NodeId node;
  SliceKind kind;
  const Step* step;  // null without steps
};

// The phases of all threads. Of phases inside each other only the outermost one counts, so that no
// time and no work of a thread counts for two; where phases cross, what is inside both counts for
// both, but once for each kind. An outermost operator of the autograd engine is backward. A phase
// may go on after its step: what it launches outside of all steps does not count.
class PhaseWalk {
 public:
  PhaseWalk(const AttributedTrace& input, const std::vector<Step>& steps)
      : input_(input), has_steps_(!steps.empty()), finder_(steps) {}

  void visit(const HostThread& thread) {
    list_outermost(thread);
    for (const OutermostPhase& phase : phases_) {
      covers_[index_of(phase.kind)].add(interval_of(phase.node));
      if (input_.tree.roles[phase.node.index()] == phase.kind) {
        add_call(phase);
      } else {
        add_engine_operator(phase);
      }
    }
    end_thread();
  }

  // The rows of the phases that are present, and the time that they cover, inside `base`.
  std::int64_t finish(const IntervalSet& base, std::vector<PhaseTotals>& rows) {
    count_backward();
    std::vector<IntervalSet> all;
    for (const SliceKind kind : kModelPhases) {
      PhaseTotals& phase = totals_[index_of(kind)];
      if (phase.host.calls == 0) continue;
      IntervalSet set = intersection_of(union_of_all(std::move(sets_[index_of(kind)])), base);
      phase.kind = kind;
      phase.host.total_ns = total_ns(set);
      rows.push_back(phase);
      all.push_back(std::move(set));
    }
    return total_ns(union_of_all(std::move(all)));
  }

 private:
  static constexpr std::size_t index_of(SliceKind kind) { return static_cast<std::size_t>(kind); }

  SliceKind phase_of(std::size_t node) const {
    const SliceKind role = input_.tree.roles[node];
    if (is_model_phase(role)) return role;
    const std::size_t slice = input_.tree.slices[node].index();
    return (input_.trace.slices().flags[slice] & kBackwardWork) != 0 ? SliceKind::kBackward : role;
  }

  Interval interval_of(NodeId node) const {
    return input_.trace.interval(input_.tree.slices[node.index()]);
  }

  // In the order of nodes, which is by start. A phase may be inside another one by time though not
  // below it in the tree, because a third range crosses the outer one.
  void list_outermost(const HostThread& thread) {
    const OpTree& tree = input_.tree;
    phases_.clear();
    std::int64_t inside_until_ns = std::numeric_limits<std::int64_t>::min();
    for (std::size_t i = thread.root.index() + 1; i < thread.end.index();) {
      const SliceKind kind = phase_of(i);
      if (!is_model_phase(kind)) {
        ++i;
        continue;
      }
      const std::int64_t start_ns = input_.trace.start_ns(tree.slices[i]);
      const std::int64_t end_ns = nest_end_ns(input_.trace, tree.slices[i]);
      if (start_ns >= inside_until_ns || end_ns > inside_until_ns) {
        inside_until_ns = std::max(inside_until_ns, end_ns);
        const Step* step = finder_.at(start_ns, thread.process);
        if (step != nullptr || !has_steps_) phases_.push_back({NodeId(i), kind, step});
      }
      i = tree.subtree_ends[i].index();
    }
  }

  // Whether the tree already counts the work for the kind: its owner is below such a phase.
  bool is_below_phase(std::uint32_t work, SliceKind kind) const {
    const NodeId owner = input_.attribution.works.owners[work];
    const auto after = std::upper_bound(
        phases_.begin(), phases_.end(), owner,
        [](NodeId node, const OutermostPhase& phase) { return node < phase.node; });
    if (after == phases_.begin()) return false;
    const OutermostPhase& before = *(after - 1);
    return before.kind == kind && owner < input_.tree.subtree_ends[before.node.index()];
  }

  struct Launched {
    StepLaunches all;        // inside the phase
    StepLaunches uncounted;  // of it, what no earlier phase of the kind has
  };

  Launched launched_in(const OutermostPhase& phase) {
    Launched sum;
    sum.all = launched_below(phase);
    sum.uncounted = sum.all;
    for (const auto& launch : input_.crossing_launches_of(phase.node)) {
      if (!is_launched_in_steps(launch.work)) continue;
      const StepLaunches one = time_of(launch.work);
      add(sum.all, one);
      const bool is_new = !is_below_phase(launch.work, phase.kind) &&
                          crossed_works_.emplace(phase.kind, launch.work).second;
      if (is_new) add(sum.uncounted, one);
    }
    return sum;
  }

  // By the tree.
  StepLaunches launched_below(const OutermostPhase& phase) const {
    if (!has_steps_ || ends_in_its_step(phase)) {
      return {input_.kernel_ns(phase.node), input_.device_ns(phase.node)};
    }
    StepLaunches sum;
    const std::size_t end = input_.tree.subtree_ends[phase.node.index()].index();
    for (std::size_t node = phase.node.index(); node < end; ++node) {
      for (const std::uint32_t work : input_.works_of(NodeId(node))) {
        if (is_launched_in_steps(work)) add(sum, time_of(work));
      }
    }
    return sum;
  }

  // Then all of its launches start in the step, unless the file's order, not time, says what is
  // inside of what. An empty launch at the very end of both would not.
  bool ends_in_its_step(const OutermostPhase& phase) const {
    return interval_of(phase.node).end_ns < phase.step->interval.end_ns &&
           input_.trace.nesting_hints().owners.empty() &&
           input_.trace.nesting_hints().ends_ns.empty();
  }

  bool is_launched_in_steps(std::uint32_t work) const {
    if (!has_steps_) return true;
    const SliceId launch = input_.launch_of(work);
    return finder_.at(input_.trace.start_ns(launch), input_.trace.track(launch).process) != nullptr;
  }

  StepLaunches time_of(std::uint32_t work) const {
    const SliceId slice = input_.attribution.works.slices[work];
    const std::int64_t duration_ns = input_.trace.duration_ns(slice);
    return {input_.trace.kind(slice) == SliceKind::kKernel ? duration_ns : 0, duration_ns};
  }

  static void add(StepLaunches& sum, const StepLaunches& more) {
    sum.kernel_ns += more.kernel_ns;
    sum.device_ns += more.device_ns;
  }

  void add_call(const OutermostPhase& phase) {
    PhaseTotals& totals = totals_[index_of(phase.kind)];
    const Launched launched = launched_in(phase);
    totals.host.add(input_.host_ns(phase.node));
    totals.kernels.add(launched.all.kernel_ns);
    totals.device.add(launched.all.device_ns);
    totals.kernels.total_ns += launched.uncounted.kernel_ns - launched.all.kernel_ns;
    totals.device.total_ns += launched.uncounted.device_ns - launched.all.device_ns;
  }

  // Phases come by start, so a step that has ended never returns.
  void add_engine_operator(const OutermostPhase& phase) {
    if (phase.step != step_) end_backward();
    step_ = phase.step;
    is_in_backward_ = true;
    backward_host_.add(interval_of(phase.node));
    add(backward_launches_, launched_in(phase).uncounted);
  }

  void end_backward() {
    if (!is_in_backward_) return;
    engine_.host.add(backward_host_.total_ns());
    engine_.kernels.add(backward_launches_.kernel_ns);
    engine_.device.add(backward_launches_.device_ns);
    is_in_backward_ = false;
    backward_host_ = {};
    backward_launches_ = {};
  }

  void end_thread() {
    end_backward();
    step_ = nullptr;
    for (const SliceKind kind : kModelPhases) {
      GrowingUnion& cover = covers_[index_of(kind)];
      if (!cover.empty()) sets_[index_of(kind)].push_back(cover.take());
      cover = {};
    }
  }

  // Where backward has ranges, those are its calls; its operators add what they launched.
  void count_backward() {
    PhaseTotals& backward = totals_[index_of(SliceKind::kBackward)];
    if (backward.host.calls == 0) {
      backward = engine_;
    } else {
      backward.kernels.total_ns += engine_.kernels.total_ns;
      backward.device.total_ns += engine_.device.total_ns;
    }
  }

  const AttributedTrace& input_;
  bool has_steps_;
  StepFinder finder_;
  std::vector<OutermostPhase> phases_;  // of this thread
  // Works that count for a kind by time, not by the tree.
  std::set<std::pair<SliceKind, std::uint32_t>> crossed_works_;
  std::array<PhaseTotals, kSliceKinds> totals_;
  std::array<std::vector<IntervalSet>, kSliceKinds> sets_;  // of the threads visited so far
  std::array<GrowingUnion, kSliceKinds> covers_;            // of this thread
  PhaseTotals engine_;                                      // backward from the engine's operators
  // Backward of this thread in the current step.
  const Step* step_ = nullptr;
  bool is_in_backward_ = false;
  CoveredTime backward_host_;
  StepLaunches backward_launches_;
};

}  // namespace

namespace {

bool has_model_phases(const AttributedTrace& input) {
  return (flags_in(input.trace) & kBackwardWork) != 0 ||
         std::ranges::any_of(input.tree.roles, is_model_phase);
}

}  // namespace

ModelPhases list_phases(const AttributedTrace& input, const std::vector<Step>& steps,
                        const std::vector<StepLaunches>& launches, bool cover_all_threads,
                        const IntervalSet& base) {
  const std::int64_t base_ns = total_ns(base);
  ModelPhases model;
  model.phases.push_back(steps.empty()
                             ? totals_of_trace(input, base_ns)
                             : totals_of_steps(input, steps, launches, cover_all_threads, base_ns));
  model.outside_ns = base_ns;
  if (!has_model_phases(input)) return model;
  PhaseWalk walk(input, steps);
  for (const HostThread& thread : input.tree.threads) walk.visit(thread);
  model.outside_ns = base_ns - walk.finish(base, model.phases);
  return model;
}

}  // namespace strobe::analysis
