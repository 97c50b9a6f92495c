#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "strobe/analysis/tables/tables.h"
#include "strobe/base/interval.h"

namespace strobe::analysis {
namespace {

constexpr std::uint64_t kNotSeen = std::numeric_limits<std::uint64_t>::max();

// Sums for one kind of slice during the walk.
struct KindTally {
  std::uint64_t calls = 0;
  std::uint64_t first_seen = kNotSeen;  // twice the visiting position, one more for runtime calls
  std::vector<IntervalSet> sets;        // with several threads: one per thread
  std::int64_t busy_ns = 0;             // with one thread: the length of its set is enough

  void keep(GrowingUnion& of_thread) {
    if (!of_thread.empty()) sets.push_back(of_thread.take());
  }
  void keep(const CoveredTime& of_thread) { busy_ns += of_thread.total_ns(); }
};
using KindTallies = std::array<KindTally, kSliceKinds>;

template <class Cover>
void tally_nodes(const AttributedTrace& input, const HostThread& thread, KindTallies& tallies) {
  const OpTree& tree = input.tree;
  std::array<Cover, kSliceKinds> covers;
  for (std::size_t i = thread.root.index() + 1; i < thread.end.index(); ++i) {
    const std::size_t kind = static_cast<std::size_t>(tree.roles[i]);
    ++tallies[kind].calls;
    tallies[kind].first_seen =
        std::min(tallies[kind].first_seen, 2 * std::uint64_t{tree.positions[i]});
    covers[kind].add(input.trace.interval(tree.slices[i]));
  }
  for (std::size_t kind = 0; kind < covers.size(); ++kind) tallies[kind].keep(covers[kind]);
}

template <class Cover>
void tally_calls(const AttributedTrace& input, std::size_t thread, KindTally& tally) {
  const auto& calls = input.attribution.calls;
  Cover cover;
  for (std::size_t i = calls.thread_begins[thread]; i < calls.thread_begins[thread + 1]; ++i) {
    if (!input.counts_call(i)) continue;
    ++tally.calls;
    tally.first_seen = std::min(
        tally.first_seen, 2 * std::uint64_t{input.tree.positions[calls.owners[i].index()]} + 1);
    cover.add(input.trace.interval(calls.slices[i]));
  }
  tally.keep(cover);
}

template <class Cover>
void tally_threads(const AttributedTrace& input, KindTallies& tallies) {
  for (std::size_t i = 0; i < input.tree.threads.size(); ++i) {
    tally_nodes<Cover>(input, input.tree.threads[i], tallies);
    tally_calls<Cover>(input, i, tallies[static_cast<std::size_t>(SliceKind::kRuntimeCall)]);
  }
}

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

std::int32_t device_of_work(const AttributedTrace& input, std::size_t work) {
  return input.trace.track(input.attribution.works.slices[work]).device.value_or(0);
}

std::size_t position_of(const std::vector<std::int32_t>& devices, std::int32_t device) {
  return static_cast<std::size_t>(std::find(devices.begin(), devices.end(), device) -
                                  devices.begin());
}

// In the order of the walk.
std::vector<std::int32_t> devices_met(const AttributedTrace& input) {
  std::vector<std::int32_t> devices;
  for (const std::uint32_t work : input.attribution.works.visiting_order) {
    if (!input.counts_work(work)) continue;
    const std::int32_t device = device_of_work(input, work);
    if (position_of(devices, device) == devices.size()) devices.push_back(device);
  }
  return devices;
}

// "Renderer / main": the trace's names of process and thread, if it has them.
std::vector<std::string> names_of_threads(const AttributedTrace& input) {
  const StringPool& strings = input.trace.strings();
  std::vector<std::string> names(input.tree.threads.size());
  const auto& tracks = input.trace.tracks();
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    const std::uint32_t thread = input.tree.threads_of_tracks[i];
    if (thread == OpTree::kNoThread || !names[thread].empty()) continue;
    std::string& name = names[thread];
    if (tracks[i].process_name.valid()) name = std::string(strings[tracks[i].process_name]);
    if (!tracks[i].thread_name.valid()) continue;
    if (!name.empty()) name += " / ";
    name += std::string(strings[tracks[i].thread_name]);
  }
  return names;
}

}  // namespace

std::vector<DeviceRow> list_devices(const AttributedTrace& input) {
  const auto& works = input.attribution.works;
  const std::vector<std::int32_t> devices = devices_met(input);
  std::vector<DeviceRow> rows(devices.size());
  std::vector<CoveredTime> kernels(devices.size());
  std::vector<CoveredTime> busy(devices.size());
  for (const std::uint32_t work : works.time_order) {
    if (!input.counts_work(work)) continue;
    const std::size_t device = position_of(devices, device_of_work(input, work));
    const Interval interval = input.trace.interval(works.slices[work]);
    busy[device].add(interval);
    if (input.trace.kind(works.slices[work]) == SliceKind::kKernel) {
      kernels[device].add(interval);
      ++rows[device].kernels;
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].device = devices[i];
    rows[i].kernel_busy_ns = kernels[i].total_ns();
    rows[i].busy_ns = busy[i].total_ns();
  }
  return rows;
}

std::vector<HostThreadRow> list_threads(const AttributedTrace& input) {
  const OpTree& tree = input.tree;
  const auto& calls = input.attribution.calls;
  const std::vector<std::string> names = names_of_threads(input);
  std::vector<HostThreadRow> rows;
  for (std::size_t t = 0; t < tree.threads.size(); ++t) {
    const HostThread& thread = tree.threads[t];
    std::vector<IntervalSet> sets;
    GrowingUnion ranges;
    for (std::size_t i = thread.root.index() + 1; i < thread.end.index();
         i = tree.subtree_ends[i].index()) {
      ranges.add(input.trace.interval(tree.slices[i]));
    }
    if (!ranges.empty()) sets.push_back(ranges.take());
    GrowingUnion in_calls;  // only calls outside all ranges: the others are covered by ranges
    for (std::size_t i = calls.thread_begins[t]; i < calls.thread_begins[t + 1]; ++i) {
      if (!tree.is_thread(calls.owners[i])) continue;
      in_calls.add(input.trace.interval(calls.slices[i]));
    }
    if (!in_calls.empty()) sets.push_back(in_calls.take());
    if (sets.empty()) continue;
    HostThreadRow row;
    row.process = std::string(input.trace.strings()[thread.process]);
    row.thread = std::string(input.trace.strings()[thread.thread]);
    row.name = names[t];
    row.is_async = thread.is_async;
    row.ranges = thread.end.index() - thread.root.index() - 1;
    row.busy_ns = total_ns(union_of_all(std::move(sets)));
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<TypeRow> list_host_types(const AttributedTrace& input, const TimeSelection& selection,
                                     const std::vector<Interval>& backward_ranges) {
  KindTallies tallies;
  if (input.tree.threads.size() == 1 && backward_ranges.empty()) {
    tally_threads<CoveredTime>(input, tallies);
  } else {
    tally_threads<GrowingUnion>(input, tallies);
  }
  if (!backward_ranges.empty()) {
    KindTally& backward = tallies[static_cast<std::size_t>(SliceKind::kBackward)];
    backward.calls += backward_ranges.size();
    backward.sets.push_back(union_of(backward_ranges));
  }

  std::vector<std::size_t> met;
  for (std::size_t kind = 0; kind < tallies.size(); ++kind) {
    if (tallies[kind].calls > 0) met.push_back(kind);
  }
  std::stable_sort(met.begin(), met.end(), [&](std::size_t a, std::size_t b) {
    return tallies[a].first_seen < tallies[b].first_seen;
  });
  std::vector<TypeRow> rows;
  rows.reserve(met.size());
  for (const std::size_t kind : met) {
    rows.push_back({static_cast<SliceKind>(kind), "", tallies[kind].calls,
                    tallies[kind].busy_ns + total_ns(union_of_all(std::move(tallies[kind].sets)))});
  }
  add_other_types(input.trace, selection, rows);
  return rows;
}

std::vector<TypeRow> list_device_types(const AttributedTrace& input) {
  const auto& works = input.attribution.works;
  const std::vector<std::int32_t> devices = devices_met(input);
  std::vector<std::vector<SliceKind>> kinds_met(devices.size());
  for (const std::uint32_t work : works.visiting_order) {
    if (!input.counts_work(work)) continue;
    auto& kinds = kinds_met[position_of(devices, device_of_work(input, work))];
    const SliceKind kind = input.trace.kind(works.slices[work]);
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) kinds.push_back(kind);
  }
  std::array<CoveredTime, kSliceKinds> covers;
  std::array<std::uint64_t, kSliceKinds> calls{};
  for (const std::uint32_t work : works.time_order) {
    if (!input.counts_work(work)) continue;
    const SliceId slice = works.slices[work];
    const std::size_t kind = static_cast<std::size_t>(input.trace.kind(slice));
    covers[kind].add(input.trace.interval(slice));
    ++calls[kind];
  }
  std::vector<TypeRow> rows;
  for (const auto& kinds : kinds_met) {
    for (const SliceKind kind : kinds) {
      const std::size_t index = static_cast<std::size_t>(kind);
      if (calls[index] == 0) continue;
      rows.push_back({kind, "", calls[index], covers[index].total_ns()});
      calls[index] = 0;
    }
  }
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
      const bool communicates =
          kind == SliceKind::kCommunication ||
          (kind == SliceKind::kOperator && (slices.flags[slice.index()] & kCommunicates) != 0);
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

CommunicationTotals add_up_communication(const AttributedTrace& input) {
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
    const bool is_collective = (slices.flags[slice.index()] & kCommunicates) != 0;
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
