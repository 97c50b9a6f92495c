#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "strobe/analysis/tables/summary.h"

// Rows with one key are gathered from all ranks, combined by operations independent of order, and
// sorted by size: the result does not depend on the order of the ranks.
namespace strobe::analysis {
namespace {

template <class Row>
using SameRows = std::vector<const Row*>;  // of one key, one per rank that has it

// The key of a row, compared in this order. One type for all rows, so that the sorting code is
// compiled once.
struct RowKey {
  std::int64_t number = 0;
  std::string text = {};
  SliceKind kind = SliceKind::kStep;
  std::string more_text = {};

  auto operator<=>(const RowKey&) const = default;
};

RowKey number_key(std::int64_t number, std::string text = {}) { return {number, std::move(text)}; }
RowKey name_key(const std::string& name, SliceKind kind = {}) { return {0, name, kind}; }

RowKey key_of(const DeviceRow& row) { return number_key(row.device); }
RowKey key_of(const TypeRow& row) {
  return number_key(static_cast<std::int64_t>(row.kind), row.label);
}
RowKey key_of(const PhaseTotals& row) { return number_key(static_cast<std::int64_t>(row.kind)); }
RowKey key_of(const DeviceWorkRow& row) { return name_key(row.name, row.kind); }
RowKey key_of(const OperatorPhaseRow& row) { return name_key(row.name, row.kind); }
RowKey key_of(const OperatorRow& row) { return name_key(row.name); }
RowKey key_of(const UserRangeRow& row) { return name_key(row.name); }
RowKey key_of(const KernelRow& row) { return name_key(row.name); }
RowKey key_of(const KernelLauncher& row) { return {0, row.inner, {}, row.outer}; }
RowKey key_of(const MemoryRow& row) { return name_key(row.name); }
RowKey key_of(const MemoryPlace& row) { return name_key(row.place); }
template <class Row>
RowKey key_of(const ThreadGroup<Row>& group) {
  return name_key(group.thread);
}

// Larger rows come first; rows of equal size, and those without one, by key.
std::int64_t size_of(const DeviceRow&) { return 0; }
std::int64_t size_of(const TypeRow& row) { return row.busy_ns; }
std::int64_t size_of(const PhaseTotals&) { return 0; }
std::int64_t size_of(const DeviceWorkRow& row) { return row.device.total_ns; }
std::int64_t size_of(const OperatorPhaseRow& row) { return row.host.total_ns; }
std::int64_t size_of(const OperatorRow& row) { return row.host.total_ns; }
std::int64_t size_of(const UserRangeRow& row) { return row.host.total_ns; }
std::int64_t size_of(const KernelRow& row) { return row.device.total_ns; }
std::int64_t size_of(const KernelLauncher& row) { return row.device_ns; }
std::int64_t size_of(const MemoryRow& row) { return row.increased_bytes(); }
std::int64_t size_of(const MemoryPlace&) { return 0; }
template <class Row>
std::int64_t size_of(const ThreadGroup<Row>&) {
  return 0;
}

template <class Row>
Row combine(const SameRows<Row>& rows);

// Positions of equal keys together, ascending by key.
std::vector<std::vector<std::size_t>> positions_by_key(std::vector<RowKey> keys) {
  std::map<RowKey, std::vector<std::size_t>> by_key;
  for (std::size_t i = 0; i < keys.size(); ++i) by_key[std::move(keys[i])].push_back(i);
  std::vector<std::vector<std::size_t>> groups;
  groups.reserve(by_key.size());
  for (auto& [key, positions] : by_key) groups.push_back(std::move(positions));
  return groups;
}

// Largest first; equal ones keep their order.
std::vector<std::size_t> positions_by_size(const std::vector<std::int64_t>& sizes) {
  std::vector<std::size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return sizes[a] > sizes[b]; });
  return order;
}

// Joins the lists that `list_of` finds in each of the sources.
template <class Source, class ListOf>
auto merge_lists(const std::vector<Source>& sources, ListOf list_of) {
  using Row = typename std::decay_t<decltype(list_of(sources.front()))>::value_type;
  SameRows<Row> all;
  std::vector<RowKey> keys;
  for (const Source& source : sources) {
    for (const Row& row : list_of(source)) {
      all.push_back(&row);
      keys.push_back(key_of(row));
    }
  }
  const std::vector<std::vector<std::size_t>> groups = positions_by_key(std::move(keys));
  std::vector<Row> combined(groups.size());
  std::vector<std::int64_t> sizes(groups.size());
  for (std::size_t i = 0; i < groups.size(); ++i) {
    SameRows<Row> rows;
    for (const std::size_t position : groups[i]) rows.push_back(all[position]);
    combined[i] = combine<Row>(rows);
    sizes[i] = size_of(combined[i]);
  }
  const std::vector<std::size_t> order = positions_by_size(sizes);
  std::vector<Row> merged(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) merged[i] = std::move(combined[order[i]]);
  return merged;
}

template <>
DeviceRow combine(const SameRows<DeviceRow>& rows) {
  DeviceRow sum;
  sum.device = rows.front()->device;
  for (const DeviceRow* row : rows) {
    sum.kernel_busy_ns += row->kernel_busy_ns;
    sum.busy_ns += row->busy_ns;
    sum.kernels += row->kernels;
  }
  return sum;
}

template <>
TypeRow combine(const SameRows<TypeRow>& rows) {
  TypeRow sum{rows.front()->kind, rows.front()->label, 0, 0};
  for (const TypeRow* row : rows) {
    sum.calls += row->calls;
    sum.busy_ns += row->busy_ns;
  }
  return sum;
}

template <>
PhaseTotals combine(const SameRows<PhaseTotals>& rows) {
  PhaseTotals sum;
  sum.kind = rows.front()->kind;
  for (const PhaseTotals* row : rows) {
    sum.host.add(row->host);
    sum.kernels.add(row->kernels);
    sum.device.add(row->device);
  }
  return sum;
}

template <>
DeviceWorkRow combine(const SameRows<DeviceWorkRow>& rows) {
  DeviceWorkRow sum{rows.front()->name, rows.front()->kind, {}};
  for (const DeviceWorkRow* row : rows) sum.device.add(row->device);
  return sum;
}

template <>
OperatorPhaseRow combine(const SameRows<OperatorPhaseRow>& rows) {
  OperatorPhaseRow sum{rows.front()->name, rows.front()->kind, {}, {}, {}};
  for (const OperatorPhaseRow* row : rows) {
    sum.host.add(row->host);
    sum.device.add(row->device);
  }
  sum.work = merge_lists(
      rows, [](const OperatorPhaseRow* row) -> auto& { return row->work; });
  return sum;
}

template <>
OperatorRow combine(const SameRows<OperatorRow>& rows) {
  OperatorRow sum;
  sum.name = rows.front()->name;
  for (const OperatorRow* row : rows) {
    sum.host.add(row->host);
    sum.device.add(row->device);
    sum.self_host_ns += row->self_host_ns;
    sum.self_device_ns += row->self_device_ns;
    sum.flops += row->flops;
  }
  sum.phases = merge_lists(
      rows, [](const OperatorRow* row) -> auto& { return row->phases; });
  sum.work = merge_lists(
      rows, [](const OperatorRow* row) -> auto& { return row->work; });
  return sum;
}

template <>
UserRangeRow combine(const SameRows<UserRangeRow>& rows) {
  UserRangeRow sum{rows.front()->name, {}, {}, 0};
  for (const UserRangeRow* row : rows) {
    sum.host.add(row->host);
    sum.device.add(row->device);
    sum.self_host_ns += row->self_host_ns;
  }
  return sum;
}

template <>
KernelLauncher combine(const SameRows<KernelLauncher>& rows) {
  KernelLauncher sum{rows.front()->inner, rows.front()->outer, 0};
  for (const KernelLauncher* row : rows) sum.device_ns += row->device_ns;
  return sum;
}

template <>
KernelRow combine(const SameRows<KernelRow>& rows) {
  KernelRow sum;
  sum.name = rows.front()->name;
  for (const KernelRow* row : rows) {
    sum.device.add(row->device);
    sum.communicates = sum.communicates || row->communicates;
  }
  sum.launchers = merge_lists(
      rows, [](const KernelRow* row) -> auto& { return row->launchers; });
  return sum;
}

template <>
MemoryRow combine(const SameRows<MemoryRow>& rows) {
  MemoryRow sum;
  sum.name = rows.front()->name;
  for (const MemoryRow* row : rows) {
    sum.allocations += row->allocations;
    sum.frees += row->frees;
    sum.allocated_bytes += row->allocated_bytes;
    sum.freed_bytes += row->freed_bytes;
  }
  return sum;
}

// Each rank has its own memory, so peaks do not add up: the largest is shown.
template <>
MemoryPlace combine(const SameRows<MemoryPlace>& rows) {
  MemoryPlace sum;
  sum.place = rows.front()->place;
  for (const MemoryPlace* row : rows) {
    sum.peak_allocated_bytes = std::max(sum.peak_allocated_bytes, row->peak_allocated_bytes);
    sum.peak_reserved_bytes = std::max(sum.peak_reserved_bytes, row->peak_reserved_bytes);
  }
  sum.allocated = merge_lists(
      rows, [](const MemoryPlace* row) -> auto& { return row->allocated; });
  sum.reserved = merge_lists(
      rows, [](const MemoryPlace* row) -> auto& { return row->reserved; });
  return sum;
}

template <>
ThreadGroup<OperatorRow> combine(const SameRows<ThreadGroup<OperatorRow>>& groups) {
  return {groups.front()->thread,
          merge_lists(
              groups, [](const auto* group) -> auto& { return group->rows; })};
}

template <>
ThreadGroup<UserRangeRow> combine(const SameRows<ThreadGroup<UserRangeRow>>& groups) {
  return {groups.front()->thread,
          merge_lists(
              groups, [](const auto* group) -> auto& { return group->rows; })};
}

void add(CommunicationTotals& sum, const CommunicationTotals& other) {
  sum.communication_ns += other.communication_ns;
  sum.computation_ns += other.computation_ns;
  sum.overlap_ns += other.overlap_ns;
  sum.host_ns += other.host_ns;
  sum.host_calls += other.host_calls;
  sum.device_ns += other.device_ns;
  sum.device_calls += other.device_calls;
}

bool interval_comes_before(const Interval& a, const Interval& b) {
  return std::tie(a.start_ns, a.end_ns) < std::tie(b.start_ns, b.end_ns);
}

bool step_comes_before(const StepRow& a, const StepRow& b) {
  const auto key = [](const StepRow& row) {
    return std::tie(row.interval.start_ns, row.interval.end_ns, row.name, row.kernel_ns,
                    row.device_ns);
  };
  if (key(a) != key(b)) return key(a) < key(b);
  return std::lexicographical_compare(std::begin(a.label_ns), std::end(a.label_ns),
                                      std::begin(b.label_ns), std::end(b.label_ns));
}

// Steps of all ranks are in one table, so they are called cycles only if all are. Ranks may have
// found different ones: the same method and marker is named, else the first in their order.
std::optional<FoundCycles> common_cycles(const std::vector<Summary>& ranks) {
  const FoundCycles* common = nullptr;
  for (const Summary& rank : ranks) {
    if (!rank.has_steps) continue;
    if (!rank.cycles) return std::nullopt;
    if (common == nullptr || std::tie(rank.cycles->method, rank.cycles->marker) <
                                 std::tie(common->method, common->marker)) {
      common = &*rank.cycles;
    }
  }
  return common == nullptr ? std::nullopt : std::optional(*common);
}

Waits merged_waits(const std::vector<Summary>& ranks) {
  std::vector<const Waits*> waits;
  waits.reserve(ranks.size());
  for (const Summary& rank : ranks) waits.push_back(&rank.waits);
  return merge_waits(waits);
}

// Without the start-ups of those ranks that have one.
std::shared_ptr<const Summary> merged_steady(const std::vector<Summary>& ranks) {
  if (std::ranges::all_of(ranks, [](const Summary& rank) { return rank.steady == nullptr; })) {
    return nullptr;
  }
  std::vector<Summary> parts;
  parts.reserve(ranks.size());
  for (const Summary& rank : ranks) parts.push_back(rank.steady ? *rank.steady : rank);
  return std::make_shared<Summary>(merge_ranks(parts));
}

}  // namespace

Summary merge_ranks(const std::vector<Summary>& ranks) {
  Summary sum;
  bool has_extent = false;
  for (const Summary& rank : ranks) {
    sum.total_ns += rank.total_ns;
    sum.span_ns += rank.span_ns;
    sum.slices += rank.slices;
    sum.device_time_ns += rank.device_time_ns;
    sum.outside_phases_ns += rank.outside_phases_ns;
    sum.has_steps = sum.has_steps || rank.has_steps;
    sum.has_communication = sum.has_communication || rank.has_communication;
    sum.orphan_device_slices += rank.orphan_device_slices;
    add(sum.communication, rank.communication);
    if (rank.extent.length_ns() > 0) {
      sum.extent = has_extent ? Interval{std::min(sum.extent.start_ns, rank.extent.start_ns),
                                         std::max(sum.extent.end_ns, rank.extent.end_ns)}
                              : rank.extent;
      has_extent = true;
    }
    // Every rank's step keeps its own row, so that its labels still sum to its length.
    sum.steps.insert(sum.steps.end(), rank.steps.begin(), rank.steps.end());
    sum.selected_steps.insert(sum.selected_steps.end(), rank.selected_steps.begin(),
                              rank.selected_steps.end());
  }
  std::sort(sum.steps.begin(), sum.steps.end(), step_comes_before);
  std::sort(sum.selected_steps.begin(), sum.selected_steps.end(), interval_comes_before);

  const auto merged = [&](auto member) {
    return merge_lists(
        ranks, [&](const Summary& rank) -> auto& { return rank.*member; });
  };
  sum.devices = merged(&Summary::devices);
  sum.host_types = merged(&Summary::host_types);
  sum.device_types = merged(&Summary::device_types);
  sum.phases = merged(&Summary::phases);
  sum.has_model = sum.phases.size() > 1;
  sum.operators = merged(&Summary::operators);
  sum.kernels = merged(&Summary::kernels);
  sum.memory_ranges = merged(&Summary::memory_ranges);
  sum.user_ranges = merged(&Summary::user_ranges);
  sum.memory = merged(&Summary::memory);
  sum.cycles = common_cycles(ranks);
  sum.waits = merged_waits(ranks);
  sum.steady = merged_steady(ranks);
  return sum;
}

}  // namespace strobe::analysis
