#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "strobe/analysis/tables/tables.h"
#include "strobe/analysis/waits/interval_parts.h"
#include "strobe/base/interval.h"

namespace strobe::analysis {
namespace {

constexpr std::uint64_t kNotSeen = std::numeric_limits<std::uint64_t>::max();

bool touches(const std::optional<IntervalSet>& within, Interval interval) {
  if (!within) return true;
  const auto part = std::ranges::upper_bound(*within, interval.start_ns, {}, &Interval::end_ns);
  return part != within->end() && part->start_ns < std::max(interval.end_ns, interval.start_ns + 1);
}

IntervalSet inside(const std::optional<IntervalSet>& within, IntervalSet set) {
  return within ? intersection_of(*within, set) : set;
}

// Sums for one kind of slice during the walk.
struct KindTally {
  std::uint64_t calls = 0;
  std::uint64_t first_seen = kNotSeen;  // twice the node's position, one more for runtime calls
  std::vector<IntervalSet> sets;        // one per thread
  std::int64_t busy_ns = 0;             // of a single thread that counts whole: this is enough

  void keep(GrowingUnion& of_thread) {
    if (!of_thread.empty()) sets.push_back(of_thread.take());
  }
  void keep(const CoveredTime& of_thread) { busy_ns += of_thread.total_ns(); }
  std::int64_t take_ns(const std::optional<IntervalSet>& within) {
    return busy_ns + total_ns(inside(within, union_of_all(std::move(sets))));
  }
};
using KindTallies = std::array<KindTally, kSliceKinds>;

// Neighbours are often of one kind, so runs of them are counted, not single nodes.
void count_nodes(const OpTree& tree, const HostThread& thread, KindTallies& tallies) {
  const bool goes_by_start = tree.positions.empty();
  const std::size_t end = thread.end.index();
  for (std::size_t i = thread.root.index() + 1; i < end;) {
    const SliceKind role = tree.roles[i];
    KindTally& tally = tallies[static_cast<std::size_t>(role)];
    std::size_t next = i;
    while (next < end && tree.roles[next] == role) ++next;
    tally.calls += next - i;
    for (std::size_t node = i; node < (goes_by_start ? i + 1 : next); ++node) {
      tally.first_seen =
          std::min(tally.first_seen, 2 * std::uint64_t{tree.position_of(NodeId(node))});
    }
    i = next;
  }
}

template <class Cover>
void tally_nodes(const AttributedTrace& input, const HostThread& thread, KindTallies& tallies) {
  const OpTree& tree = input.tree;
  const bool nests_by_time = input.trace.nesting_hints().ends_ns.empty();
  count_nodes(tree, thread, tallies);
  std::array<Cover, kSliceKinds> covers;
  for (std::size_t i = thread.root.index() + 1; i < thread.end.index(); ++i) {
    const bool is_covered = nests_by_time && tree.roles[tree.parents[i].index()] == tree.roles[i];
    if (is_covered) continue;
    covers[static_cast<std::size_t>(tree.roles[i])].add(input.trace.interval(tree.slices[i]));
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
    tally.first_seen =
        std::min(tally.first_seen, 2 * std::uint64_t{input.tree.position_of(calls.owners[i])} + 1);
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

template <class Cover>
void tally_works(const AttributedTrace& input, KindTallies& tallies) {
  const auto& works = input.attribution.works;
  std::array<Cover, kSliceKinds> covers;
  for (const std::uint32_t work : works.time_order) {
    if (!input.counts_work(work)) continue;
    const SliceId slice = works.slices[work];
    const std::size_t kind = static_cast<std::size_t>(input.trace.kind(slice));
    covers[kind].add(input.trace.interval(slice));
    ++tallies[kind].calls;
  }
  for (std::size_t kind = 0; kind < covers.size(); ++kind) tallies[kind].keep(covers[kind]);
}

// Slices that are neither in the trees nor runtime calls nor device work, by kind; those of unknown
// kind by category.
class LooseTypes {
 public:
  explicit LooseTypes(const Trace& trace)
      : trace_(trace),
        of_categories_(trace.categories().size() + 1),
        latest_(trace.tracks().size()) {
    of_kinds_.fill({kNone, kNone});
    std::ranges::fill(of_categories_, std::array{kNone, kNone});
  }

  void add(std::size_t row) {
    const SliceKind kind = trace_.slices().kinds[row];
    const std::size_t track = trace_.slices().tracks[row].index();
    const bool is_on_device = kind == SliceKind::kDeviceAnnotation ||
                              trace_.tracks()[track].kind == TrackKind::kDeviceStream;
    const std::size_t type = type_of(kind, trace_.slices().categories[row], is_on_device);
    ++types_[type].row.calls;
    const Interval interval = trace_.interval(SliceId(row));
    Latest& latest = latest_[track];
    // Frames nest, so most are inside the latest that was kept.
    if (latest.type == type && interval.start_ns >= latest.interval.start_ns &&
        interval.end_ns <= latest.interval.end_ns) {
      return;
    }
    latest = {type, interval};
    types_[type].intervals.push_back(interval);
  }

  // In the order in which the file first has them.
  void append_to(TypeTables& tables, const IntervalSet& span) {
    for (Type& type : types_) {
      type.row.busy_ns = total_ns(intersection_of(span, union_of(std::move(type.intervals))));
      (type.is_on_device ? tables.device : tables.host).push_back(std::move(type.row));
    }
  }

 private:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  struct Type {
    bool is_on_device = false;
    TypeRow row;
    std::vector<Interval> intervals;
  };
  struct Latest {
    std::size_t type = kNone;
    Interval interval;
  };

  std::size_t type_of(SliceKind kind, CategoryId category, bool is_on_device) {
    const bool has_category = kind == SliceKind::kOther && category.valid();
    auto& known = kind != SliceKind::kOther ? of_kinds_[static_cast<std::size_t>(kind)]
                  : has_category            ? of_categories_[category.index()]
                                            : of_categories_.back();
    std::size_t& type = known[is_on_device ? 1 : 0];
    if (type == kNone) {
      type = types_.size();
      types_.push_back({is_on_device, {kind, "", 0, 0}, {}});
      if (has_category) {
        const StringId name = trace_.categories()[category.index()].name;
        types_.back().row.label = std::string(trace_.strings()[name]);
      }
    }
    return type;
  }

  const Trace& trace_;
  std::vector<Type> types_;
  std::array<std::array<std::size_t, 2>, kSliceKinds> of_kinds_;  // on the host, on a device
  std::vector<std::array<std::size_t, 2>> of_categories_;         // the last: without a category
  std::vector<Latest> latest_;                                    // per track
};

// The devices in the order of the walk.
class DevicesMet {
 public:
  explicit DevicesMet(const AttributedTrace& input)
      : input_(input), positions_(input.trace.tracks().size(), kNone) {
    for (const std::uint32_t work : input.attribution.works.visiting_order) {
      std::size_t& position = positions_[track_of(work)];
      if (position == kNone && input.counts_work(work)) position = place(track_of(work));
    }
  }
  std::size_t size() const { return devices_.size(); }
  std::int32_t operator[](std::size_t position) const { return devices_[position]; }
  std::size_t position_of(std::size_t work) const { return positions_[track_of(work)]; }

 private:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  std::size_t track_of(std::size_t work) const {
    return input_.trace.slices().tracks[input_.attribution.works.slices[work].index()].index();
  }
  // Streams of one device are one place.
  std::size_t place(std::size_t track) {
    const std::int32_t device = input_.trace.tracks()[track].device.value_or(0);
    const auto known = std::find(devices_.begin(), devices_.end(), device);
    const auto position = static_cast<std::size_t>(known - devices_.begin());
    if (known == devices_.end()) devices_.push_back(device);
    return position;
  }

  const AttributedTrace& input_;
  std::vector<std::int32_t> devices_;
  std::vector<std::size_t> positions_;  // per track
};

// The length of a union inside of `within`. Intervals come by ascending start.
class CoveredTimeIn {
 public:
  explicit CoveredTimeIn(const std::optional<IntervalSet>& within) {
    if (within) within_.emplace(*within);
  }
  void add(Interval interval) {
    const Interval part = uncovered_.of(interval);
    if (part.length_ns() == 0) return;
    total_ns_ += within_ ? within_->overlap_ns(part) : part.length_ns();
  }
  std::int64_t total_ns() const { return total_ns_; }

 private:
  std::optional<OverlapCursor> within_;
  UncoveredPart uncovered_;
  std::int64_t total_ns_ = 0;
};

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

std::vector<DeviceRow> list_devices(const AttributedTrace& input,
                                    const std::optional<IntervalSet>& within) {
  const auto& works = input.attribution.works;
  const DevicesMet devices(input);
  std::vector<DeviceRow> rows(devices.size());
  std::vector<CoveredTimeIn> kernels(devices.size(), CoveredTimeIn(within));
  std::vector<CoveredTimeIn> busy(devices.size(), CoveredTimeIn(within));
  for (const std::uint32_t work : works.time_order) {
    if (!input.counts_work(work)) continue;
    const std::size_t device = devices.position_of(work);
    const Interval interval = input.trace.interval(works.slices[work]);
    busy[device].add(interval);
    if (input.trace.kind(works.slices[work]) == SliceKind::kKernel) {
      kernels[device].add(interval);
      rows[device].kernels += touches(within, interval) ? 1 : 0;
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].device = devices[i];
    rows[i].kernel_busy_ns = kernels[i].total_ns();
    rows[i].busy_ns = busy[i].total_ns();
  }
  return rows;
}

namespace {

// The time of a thread in ranges and in runtime calls, as a Cover that takes them by start.
template <class Cover>
Cover cover_of_thread(const AttributedTrace& input, std::size_t thread) {
  const OpTree& tree = input.tree;
  const auto& calls = input.attribution.calls;
  Cover cover;
  std::size_t call = calls.thread_begins[thread];
  // Calls inside of ranges too: the order of a file may give a call to a range that has ended.
  const auto add_calls_until = [&](std::int64_t time_ns) {
    for (; call < calls.thread_begins[thread + 1]; ++call) {
      const Interval interval = input.trace.interval(calls.slices[call]);
      if (interval.start_ns > time_ns) return;
      cover.add(interval);
    }
  };
  const bool nests_by_time = input.trace.nesting_hints().ends_ns.empty();
  const HostThread& host = tree.threads[thread];
  for (std::size_t i = host.root.index() + 1; i < host.end.index();
       i = nests_by_time ? tree.subtree_ends[i].index() : i + 1) {
    const Interval interval = input.trace.interval(tree.slices[i]);
    add_calls_until(interval.start_ns);
    cover.add(interval);
  }
  add_calls_until(kForever);
  return cover;
}

void set_busy_times(const AttributedTrace& launched, const AttributedTrace& whole,
                    const std::optional<IntervalSet>& within, std::size_t thread,
                    HostThreadRow& row) {
  if (!within) {
    row.busy_ns = row.host_time_ns = cover_of_thread<CoveredTime>(whole, thread).total_ns();
    return;
  }
  const IntervalSet in_span =
      intersection_of(*within, cover_of_thread<GrowingUnion>(whole, thread).set());
  row.busy_ns = total_ns(in_span);
  row.host_time_ns =
      total_ns(union_of(in_span, cover_of_thread<GrowingUnion>(launched, thread).set()));
}

}  // namespace

std::vector<HostThreadRow> list_threads(const AttributedTrace& launched,
                                        const AttributedTrace& whole,
                                        const std::optional<IntervalSet>& within) {
  const auto& call_begins = launched.attribution.calls.thread_begins;
  const std::vector<std::string> names = names_of_threads(launched);
  std::vector<HostThreadRow> rows;
  // Both have the same threads: those of the whole trace.
  for (std::size_t t = 0; t < launched.tree.threads.size(); ++t) {
    const HostThread& thread = launched.tree.threads[t];
    HostThreadRow row;
    row.ranges = thread.end.index() - thread.root.index() - 1;
    set_busy_times(launched, whole, within, t, row);
    const bool starts_nothing = row.ranges == 0 && call_begins[t] == call_begins[t + 1];
    if (starts_nothing && row.busy_ns == 0) continue;
    row.process = std::string(launched.trace.strings()[thread.process]);
    row.thread = std::string(launched.trace.strings()[thread.thread]);
    row.name = names[t];
    row.is_async = thread.is_async;
    rows.push_back(std::move(row));
  }
  return rows;
}

std::uint8_t flags_in(const Trace& trace) {
  std::uint8_t all = 0;
  for (const std::uint8_t flags : trace.slices().flags) all |= flags;
  return all;
}

std::int64_t earliest_start_ns(const Trace& trace) {
  const Column<std::int64_t>& starts_ns = trace.slices().starts_ns;
  const Column<SliceKind>& kinds = trace.slices().kinds;
  if (starts_ns.empty()) return 0;
  const auto first = std::ranges::min_element(starts_ns);
  if (kinds[static_cast<std::size_t>(first - starts_ns.begin())] != SliceKind::kCondition) {
    return *first;
  }
  // The machine was observed before the program began.
  std::int64_t earliest = std::numeric_limits<std::int64_t>::max();
  for (std::size_t row = 0; row < starts_ns.size(); ++row) {
    if (kinds[row] != SliceKind::kCondition) earliest = std::min(earliest, starts_ns[row]);
  }
  return earliest == std::numeric_limits<std::int64_t>::max() ? *first : earliest;
}

std::vector<TypeRow> list_range_types(const AttributedTrace& input,
                                      const std::vector<Interval>& backward_ranges,
                                      const std::optional<IntervalSet>& within) {
  KindTallies tallies;
  if (input.tree.threads.size() == 1 && backward_ranges.empty() && !within) {
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
    rows.push_back(
        {static_cast<SliceKind>(kind), "", tallies[kind].calls, tallies[kind].take_ns(within)});
  }
  return rows;
}

std::vector<TypeRow> list_work_types(const AttributedTrace& input,
                                     const std::optional<IntervalSet>& within) {
  const auto& works = input.attribution.works;
  const DevicesMet devices(input);
  std::vector<std::vector<SliceKind>> kinds_met(devices.size());
  for (const std::uint32_t work : works.visiting_order) {
    if (!input.counts_work(work)) continue;
    auto& kinds = kinds_met[devices.position_of(work)];
    const SliceKind kind = input.trace.kind(works.slices[work]);
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) kinds.push_back(kind);
  }
  KindTallies tallies;
  if (within) {
    tally_works<GrowingUnion>(input, tallies);
  } else {
    tally_works<CoveredTime>(input, tallies);
  }
  std::vector<TypeRow> rows;
  for (const auto& kinds : kinds_met) {
    for (const SliceKind kind : kinds) {
      KindTally& tally = tallies[static_cast<std::size_t>(kind)];
      if (tally.calls == 0) continue;
      rows.push_back({kind, "", tally.calls, tally.take_ns(within)});
      tally.calls = 0;
    }
  }
  return rows;
}

TypeTables list_types(const AttributedTrace& input, const TimeSelection& selection,
                      const IntervalSet& span) {
  // Without a selection the span has all of their time.
  const std::optional<IntervalSet> within =
      selection.is_everything() ? std::nullopt : std::optional(span);
  TypeTables tables{list_range_types(input, {}, within), list_work_types(input, within)};
  LooseTypes loose(input.trace);
  for (const SliceId slice : input.attribution.loose_slices) {
    if (selection.holds(input.trace.start_ns(slice))) loose.add(slice.index());
  }
  loose.append_to(tables, span);
  return tables;
}

namespace {

bool is_collective(const AttributedTrace& input, std::size_t node) {
  if (input.tree.roles[node] == SliceKind::kCommunication) return true;
  const std::size_t slice = input.tree.slices[node].index();
  return input.tree.roles[node] == SliceKind::kOperator &&
         (input.trace.slices().flags[slice] & kCommunicates) != 0;
}

// A collective inside another one of its thread is a part of it.
void add_host_collectives(const AttributedTrace& whole, const std::optional<IntervalSet>& within,
                          CommunicationTotals& totals) {
  const OpTree& tree = whole.tree;
  if ((flags_in(whole.trace) & kCommunicates) == 0 && !tree.has_role(SliceKind::kCommunication)) {
    return;
  }
  std::vector<IntervalSet> of_threads;
  for (const HostThread& thread : tree.threads) {
    GrowingUnion collectives;
    for (std::size_t i = thread.root.index() + 1; i < thread.end.index();) {
      if (!is_collective(whole, i)) {
        ++i;
        continue;
      }
      const Interval interval = whole.trace.interval(tree.slices[i]);
      collectives.add(interval);
      totals.host_calls += touches(within, interval) ? 1 : 0;
      i = tree.subtree_ends[i].index();
    }
    if (!collectives.empty()) of_threads.push_back(collectives.take());
  }
  totals.host_ns = total_ns(inside(within, union_of_all(std::move(of_threads))));
}

}  // namespace

CommunicationTotals add_up_communication(const AttributedTrace& whole,
                                         const std::optional<IntervalSet>& within) {
  const auto& works = whole.attribution.works;
  const auto& slices = whole.trace.slices();
  CommunicationTotals totals;
  CoveredTimeIn communication(within);
  CoveredTimeIn computation(within);
  CoveredTimeIn either(within);
  for (const std::uint32_t work : works.time_order) {
    const SliceId slice = works.slices[work];
    if (slices.kinds[slice.index()] != SliceKind::kKernel) continue;
    const Interval interval = whole.trace.interval(slice);
    either.add(interval);
    if ((slices.flags[slice.index()] & kCommunicates) == 0) {
      computation.add(interval);
      continue;
    }
    communication.add(interval);
    totals.device_calls += touches(within, interval) ? 1 : 0;
  }
  totals.communication_ns = communication.total_ns();
  totals.device_ns = totals.communication_ns;
  totals.computation_ns = computation.total_ns();
  totals.overlap_ns = totals.communication_ns + totals.computation_ns - either.total_ns();
  add_host_collectives(whole, within, totals);
  return totals;
}

}  // namespace strobe::analysis
