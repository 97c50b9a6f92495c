#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <utility>

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

// What the outermost step ranges launched.
StepLaunches launched_below_steps(const AttributedTrace& input) {
  const OpTree& tree = input.tree;
  StepLaunches sum;
  for (std::size_t i = 0; i < tree.size();) {
    if (tree.roles[i] != SliceKind::kStep) {
      ++i;
      continue;
    }
    sum.kernel_ns += input.kernel_ns(NodeId(i));
    sum.device_ns += input.device_ns(NodeId(i));
    i = tree.subtree_ends[i].index();
  }
  return sum;
}

// Each work once, where steps overlap too.
StepLaunches launched_in_any(const AttributedTrace& input, const std::vector<Step>& steps,
                             bool cover_all_threads) {
  if (!cover_all_threads) return launched_below_steps(input);
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
  if (totals.host.total_ns != steps_ns) {
    const StepLaunches all = launched_in_any(input, steps, cover_all_threads);
    totals.host.total_ns = steps_ns;
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

// The phases of all threads. On every path down from a thread only the outermost one counts, so
// that no time and no work of a thread counts for two. An outermost operator of the autograd engine
// is backward.
class PhaseWalk {
 public:
  PhaseWalk(const AttributedTrace& input, const std::vector<Step>& steps)
      : input_(input), has_steps_(!steps.empty()), finder_(steps) {}

  void visit(const HostThread& thread) {
    const OpTree& tree = input_.tree;
    for (std::size_t i = thread.root.index() + 1; i < thread.end.index();) {
      const SliceKind kind = phase_of(i);
      if (!is_model_phase(kind)) {
        ++i;
        continue;
      }
      const Step* step = finder_.at(input_.trace.start_ns(tree.slices[i]), thread.process);
      if (step != nullptr || !has_steps_) {
        covers_[index_of(kind)].add(input_.trace.interval(tree.slices[i]));
        if (tree.roles[i] == kind) {
          add_call(NodeId(i));
        } else {
          add_engine_operator(NodeId(i), step);
        }
      }
      i = tree.subtree_ends[i].index();
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

  void add_call(NodeId node) {
    PhaseTotals& phase = totals_[index_of(input_.tree.roles[node.index()])];
    phase.host.add(input_.host_ns(node));
    phase.kernels.add(input_.kernel_ns(node));
    phase.device.add(input_.device_ns(node));
  }

  // Nodes come by start, so a step that has ended never returns.
  void add_engine_operator(NodeId node, const Step* step) {
    if (step != step_) end_backward();
    step_ = step;
    is_in_backward_ = true;
    backward_host_.add(input_.trace.interval(input_.tree.slices[node.index()]));
    backward_launches_.kernel_ns += input_.kernel_ns(node);
    backward_launches_.device_ns += input_.device_ns(node);
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

ModelPhases list_phases(const AttributedTrace& input, const std::vector<Step>& steps,
                        const std::vector<StepLaunches>& launches, bool cover_all_threads,
                        const IntervalSet& base) {
  const std::int64_t base_ns = total_ns(base);
  ModelPhases model;
  model.phases.push_back(steps.empty()
                             ? totals_of_trace(input, base_ns)
                             : totals_of_steps(input, steps, launches, cover_all_threads, base_ns));
  PhaseWalk walk(input, steps);
  for (const HostThread& thread : input.tree.threads) walk.visit(thread);
  model.outside_ns = base_ns - walk.finish(base, model.phases);
  return model;
}

}  // namespace strobe::analysis
