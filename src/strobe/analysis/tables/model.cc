#include "strobe/analysis/tables/tables.h"

#include <algorithm>
#include <array>

namespace strobe::analysis {
namespace {

constexpr std::array kModelPhases = {SliceKind::kDataLoader, SliceKind::kForward,
                                     SliceKind::kBackward, SliceKind::kOptimizer};

void add_call(PhaseTotals& totals, std::int64_t host_ns, std::int64_t kernel_ns,
              std::int64_t device_ns) {
  totals.host.add(host_ns);
  totals.kernels.add(kernel_ns);
  totals.device.add(device_ns);
}

void extend(BackwardRange& range, bool is_new, Interval interval) {
  range.interval = is_new ? interval
                          : Interval{std::min(range.interval.start_ns, interval.start_ns),
                                     std::max(range.interval.end_ns, interval.end_ns)};
}

}  // namespace

std::vector<BackwardRange> find_backward_ranges(const AttributedTrace& input,
                                                const std::vector<Step>& steps) {
  const OpTree& tree = input.tree;
  const auto& flags = input.trace.slices().flags;
  const StepFinder finder(steps);
  std::vector<BackwardRange> ranges;
  for (const HostThread& thread : tree.threads) {
    const Step* current = nullptr;  // nodes come by start, so a step that has ended never returns
    bool is_open = false;
    for (std::size_t i = thread.root.index() + 1; i < thread.end.index();) {
      const SliceId slice = tree.slices[i];
      if ((flags[slice.index()] & kBackwardWork) == 0) {
        ++i;
        continue;
      }
      const Step* step = finder.at(input.trace.start_ns(slice), thread.process);
      if (step != nullptr || steps.empty()) {
        const bool is_new = !is_open || step != current;
        if (is_new) ranges.emplace_back();
        extend(ranges.back(), is_new, input.trace.interval(slice));
        ranges.back().kernel_ns += input.kernel_ns(NodeId(i));
        ranges.back().device_ns += input.device_ns(NodeId(i));
        current = step;
        is_open = true;
      }
      i = tree.subtree_ends[i].index();
    }
  }
  return ranges;
}

std::vector<PhaseTotals> list_phases(const AttributedTrace& input, const std::vector<Step>& steps,
                                     const std::vector<StepLaunches>& launches,
                                     bool steps_cover_all_threads,
                                     const std::vector<BackwardRange>& backward_ranges,
                                     std::int64_t total_ns) {
  const OpTree& tree = input.tree;
  std::array<PhaseTotals, kSliceKinds> totals;
  for (std::size_t i = 0; i < tree.size();) {
    const SliceKind role = tree.roles[i];
    if (is_model_phase(role) || role == SliceKind::kStep) {
      add_call(totals[static_cast<std::size_t>(role)], input.host_ns(NodeId(i)),
               input.kernel_ns(NodeId(i)), input.device_ns(NodeId(i)));
    }
    i = is_model_phase(role) ? tree.subtree_ends[i].index() : i + 1;
  }
  for (const BackwardRange& range : backward_ranges) {
    add_call(totals[static_cast<std::size_t>(SliceKind::kBackward)], range.interval.length_ns(),
             range.kernel_ns, range.device_ns);
  }

  std::vector<PhaseTotals> phases(1);
  if (!steps_cover_all_threads) phases.front() = totals[static_cast<std::size_t>(SliceKind::kStep)];
  if (phases.front().host.calls == 0) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      add_call(phases.front(), steps[i].interval.length_ns(), launches[i].kernel_ns,
               launches[i].device_ns);
    }
  }
  if (steps.empty()) {
    const StepLaunches all = add_up_all_launches(input);
    add_call(phases.front(), total_ns, all.kernel_ns, all.device_ns);
  }
  for (const SliceKind kind : kModelPhases) {
    PhaseTotals& phase = totals[static_cast<std::size_t>(kind)];
    if (phase.host.calls == 0) continue;
    phase.kind = kind;
    phases.push_back(phase);
  }
  return phases;
}

}  // namespace strobe::analysis
