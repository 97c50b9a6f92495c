#include "strobe/analysis/tables/classic.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "strobe/base/interval.h"

namespace strobe::analysis {
namespace {

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

std::vector<PhaseTotals> list_classic_phases(const AttributedTrace& input,
                                             const std::vector<Step>& steps,
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

namespace {

void add_other_types(const Trace& trace, const TimeSelection& selection,
                     std::vector<TypeRow>& rows) {
  const auto& slices = trace.slices();
  std::vector<std::vector<Interval>> by_category(trace.categories().size());
  std::vector<CategoryId> met;
  for (std::size_t row = 0; row < slices.size(); ++row) {
    if (slices.kinds[row] != SliceKind::kOther || !selection.holds(slices.starts_ns[row])) continue;
    if (trace.tracks()[slices.tracks[row].index()].kind == TrackKind::kDeviceStream) continue;
    const CategoryId category = slices.categories[row];
    if (!category.valid()) continue;
    auto& intervals = by_category[category.index()];
    if (intervals.empty()) met.push_back(category);
    intervals.push_back(trace.interval(SliceId(row)));
  }
  for (const CategoryId category : met) {
    auto& intervals = by_category[category.index()];
    TypeRow row;
    row.label = std::string(trace.strings()[trace.categories()[category.index()].name]);
    row.calls = intervals.size();
    row.busy_ns = total_ns(union_of(std::move(intervals)));
    rows.push_back(std::move(row));
  }
}

}  // namespace

std::vector<TypeRow> list_classic_host_types(const AttributedTrace& input,
                                             const TimeSelection& selection,
                                             const std::vector<BackwardRange>& backward_ranges) {
  std::vector<Interval> intervals;
  intervals.reserve(backward_ranges.size());
  for (const BackwardRange& range : backward_ranges) intervals.push_back(range.interval);
  std::vector<TypeRow> rows = list_range_types(input, intervals);
  add_other_types(input.trace, selection, rows);
  return rows;
}

namespace {

bool starts_earlier(const Interval& a, const Interval& b) {
  return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.end_ns < b.end_ns;
}

// Sorts the list.
std::uint64_t count_distinct(std::vector<Interval>& intervals) {
  std::sort(intervals.begin(), intervals.end(), starts_earlier);
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    if (i == 0 || !(intervals[i] == intervals[i - 1])) ++count;
  }
  return count;
}

enum class Nearness : std::uint8_t { kOutside, kBelow, kItself };  // to a communication range

class HostCommunication {
 public:
  explicit HostCommunication(const AttributedTrace& input) : nearness_(input.tree.size()) {
    const OpTree& tree = input.tree;
    const auto& slices = input.trace.slices();
    for (std::size_t i = 0; i < tree.size(); ++i) {
      const SliceId slice = tree.slices[i];
      if (!slice.valid()) continue;
      const SliceKind kind = slices.kinds[slice.index()];
      const bool communicates = kind == SliceKind::kCommunication ||
                                (kind == SliceKind::kOperator &&
                                 communicates_in_classic_tables(slices.flags[slice.index()]));
      if (communicates) {
        nearness_[i] = Nearness::kItself;
        ranges.push_back(input.trace.interval(slice));
      } else if (nearness_[tree.parents[i].index()] != Nearness::kOutside) {
        nearness_[i] = Nearness::kBelow;
      }
    }
  }
  Nearness nearness(NodeId node) const { return nearness_[node.index()]; }

  std::vector<Interval> ranges;

 private:
  std::vector<Nearness> nearness_;
};

}  // namespace

CommunicationTotals add_up_classic_communication(const AttributedTrace& input) {
  const auto& works = input.attribution.works;
  const auto& slices = input.trace.slices();
  HostCommunication host(input);
  std::vector<Interval> device_ranges;  // by start
  GrowingUnion computation;
  computation.reserve(works.size());
  for (const std::uint32_t work : works.time_order) {
    const SliceId slice = works.slices[work];
    if (slices.kinds[slice.index()] != SliceKind::kKernel) continue;
    if (works.is_orphan(work) || !input.counts_work(work)) continue;
    const Nearness nearness = host.nearness(works.owners[work]);
    const bool is_collective = communicates_in_classic_tables(slices.flags[slice.index()]);
    const Interval interval = input.trace.interval(slice);
    if (is_collective || nearness != Nearness::kOutside) device_ranges.push_back(interval);
    if (!is_collective && nearness != Nearness::kItself) computation.add(interval);
  }

  CommunicationTotals totals;
  totals.host_calls = count_distinct(host.ranges);
  totals.device_calls = count_distinct(device_ranges);
  const IntervalSet host_set = union_of(std::move(host.ranges));
  const IntervalSet device_set = union_of(std::move(device_ranges));
  const IntervalSet communication = union_of(host_set, device_set);
  totals.host_ns = total_ns(host_set);
  totals.device_ns = total_ns(device_set);
  totals.communication_ns = total_ns(communication);
  totals.computation_ns = total_ns(computation.set());
  totals.overlap_ns = total_ns(intersection_of(communication, computation.set()));
  return totals;
}

}  // namespace strobe::analysis
