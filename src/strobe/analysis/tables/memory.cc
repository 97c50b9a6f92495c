#include "strobe/analysis/tables/memory.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "strobe/base/natural_sort.h"
#include "strobe/base/row_index.h"
#include "strobe/base/time_columns.h"
#include "strobe/trace/column.h"

namespace strobe::analysis {
namespace {

constexpr std::size_t kMostOwners = 100;
constexpr const char* kOutside = "[outside of ranges]";

}  // namespace

PlaceParts parts_of_place(std::string_view place) {
  constexpr std::string_view kOpen = "Place(";
  PlaceParts parts{place, {}};
  if (place.starts_with(kOpen) && place.ends_with(')')) {
    parts.text = place.substr(kOpen.size(), place.size() - kOpen.size() - 1);
  }
  const std::size_t colon = parts.text.rfind(':');
  if (colon == std::string_view::npos) return parts;
  std::int32_t device = 0;
  const std::string_view number = parts.text.substr(colon + 1);
  const auto [stop, error] = std::from_chars(number.data(), number.data() + number.size(), device);
  if (error == std::errc()) parts.device = device;
  return parts;
}

namespace {

// "GPU 0" for "Place(gpu:0)"; the trace decides the word for the device.
std::string place_name(const Trace& trace, std::string_view raw_place) {
  const std::string_view place = parts_of_place(raw_place).text;
  constexpr std::string_view kDevice = "gpu:";
  if (place == "cpu") return "CPU";
  if (!place.starts_with(kDevice)) return std::string(place);
  return trace.traits().device_label + " " + std::string(place.substr(kDevice.size()));
}

// One quantity after each event: the totals of the trace (events without one repeat the last), or
// the sum of the events' bytes if the trace has no totals. -1 if neither is known.
std::vector<std::int64_t> totals_of(const MemoryColumns& memory,
                                    const std::vector<std::uint32_t>& events,
                                    const Column<std::int64_t>& given, bool of_reservations) {
  const auto is_given = [&](std::uint32_t event) { return given[event] >= 0; };
  const auto concerns = [&](std::uint32_t event) {
    return is_reservation(memory.actions[event]) == of_reservations;
  };
  std::vector<std::int64_t> totals(events.size(), -1);
  const auto first = std::ranges::find_if(events, is_given);
  if (first == events.end() && std::ranges::none_of(events, concerns)) return totals;
  std::int64_t total = first == events.end() ? 0 : given[*first];
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (is_given(events[i])) {
      total = given[events[i]];
    } else if (first == events.end() && concerns(events[i])) {
      total += memory.bytes[events[i]];
    }
    totals[i] = total;
  }
  return totals;
}

// Allocations that are alive after some events of a curve, by address.
class LiveAllocations {
 public:
  explicit LiveAllocations(const MemoryColumns& memory) : memory_(memory) {}

  void apply(std::uint32_t event) {
    const std::uint64_t address = memory_.addresses[event];
    if (address == 0 || is_reservation(memory_.actions[event])) return;
    if (memory_.actions[event] == MemoryAction::kAllocate) {
      live_[address] = event;
    } else {
      live_.erase(address);
    }
  }
  // In file order.
  std::vector<std::uint32_t> events() const {
    std::vector<std::uint32_t> events;
    for (const auto& [address, event] : live_) events.push_back(event);
    std::ranges::sort(events);
    return events;
  }

 private:
  const MemoryColumns& memory_;
  std::unordered_map<std::uint64_t, std::uint32_t> live_;
};

bool has_addresses(const MemoryColumns& memory, const MemoryCurve& curve) {
  return std::ranges::any_of(curve.events,
                             [&](std::uint32_t event) { return memory.addresses[event] != 0; });
}

// The outermost operator around the event, or else the innermost range; invalid if there is none.
StringId owner_name(const AttributedTrace& input, std::uint32_t event) {
  const OpTree& tree = input.tree;
  NodeId owner = input.attribution.memory_owners[event];
  if (!owner.valid() || tree.is_thread(owner)) return {};
  for (NodeId node = owner; !tree.is_thread(node); node = tree.parents[node.index()]) {
    if (tree.roles[node.index()] == SliceKind::kOperator) owner = node;
  }
  return input.name(owner);
}

}  // namespace

std::vector<MemoryCurve> list_memory_curves(const Trace& trace) {
  const MemoryColumns& memory = trace.memory();
  std::vector<std::uint32_t> order(memory.size());
  std::iota(order.begin(), order.end(), 0u);
  natural_sort(order, [&](std::uint32_t a, std::uint32_t b) {
    return memory.times_ns[a] < memory.times_ns[b];
  });
  std::vector<MemoryCurve> curves;
  NameRows rows(trace.strings());
  for (const std::uint32_t event : order) {
    const std::size_t row = rows.row_of(memory.places[event]);
    if (row == curves.size()) {
      curves.emplace_back();
      curves.back().place = place_name(trace, trace.strings()[memory.places[event]]);
    }
    curves[row].events.push_back(event);
  }
  for (MemoryCurve& curve : curves) {
    const auto allocated = totals_of(memory, curve.events, memory.allocated_bytes, false);
    const auto reserved = totals_of(memory, curve.events, memory.reserved_bytes, true);
    for (std::size_t i = 0; i < curve.events.size(); ++i) {
      const std::int64_t allocated_bytes = std::max<std::int64_t>(allocated[i], 0);
      curve.points.push_back({memory.times_ns[curve.events[i]], allocated_bytes, reserved[i]});
      if (allocated_bytes > curve.points[curve.peak].allocated_bytes) curve.peak = i;
      curve.reserved_peak_bytes = std::max(curve.reserved_peak_bytes, reserved[i]);
    }
  }
  return curves;
}

std::vector<MemoryPoint> thinned(const std::vector<MemoryPoint>& points, std::uint32_t columns) {
  constexpr std::size_t kPointsPerColumn = 4;
  if (points.size() <= kPointsPerColumn * columns) return points;
  const TimeColumns screen({points.front().time_ns, points.back().time_ns + 1}, columns);
  std::vector<MemoryPoint> kept;
  for (std::size_t begin = 0; begin < points.size();) {
    const std::int64_t end_ns = screen.end_ns(screen.at(points[begin].time_ns));
    std::size_t most = begin;
    std::size_t least = begin;
    std::size_t most_reserved = begin;
    std::size_t i = begin;
    for (; i < points.size() && points[i].time_ns < end_ns; ++i) {
      if (points[i].allocated_bytes > points[most].allocated_bytes) most = i;
      if (points[i].allocated_bytes < points[least].allocated_bytes) least = i;
      if (points[i].reserved_bytes > points[most_reserved].reserved_bytes) most_reserved = i;
    }
    std::size_t chosen[] = {most, least, most_reserved, i - 1};
    std::ranges::sort(chosen);
    for (std::size_t k = 0; k < std::size(chosen); ++k) {
      if (k == 0 || chosen[k] != chosen[k - 1]) kept.push_back(points[chosen[k]]);
    }
    begin = i;
  }
  return kept;
}

std::vector<MemoryOwner> owners_at_peak(const AttributedTrace& input, const MemoryCurve& curve) {
  const MemoryColumns& memory = input.trace.memory();
  if (!has_addresses(memory, curve)) return {};
  LiveAllocations live(memory);
  for (std::size_t i = 0; i <= curve.peak; ++i) live.apply(curve.events[i]);
  std::vector<MemoryOwner> owners;
  NameRows rows(input.trace.strings());
  MemoryOwner unattributed{"[unattributed]"};
  std::int64_t seen_bytes = 0;
  for (const std::uint32_t event : live.events()) {
    const StringId name = owner_name(input, event);
    MemoryOwner* owner = &unattributed;
    if (name.valid()) {
      const std::size_t row = rows.row_of(name);
      if (row == owners.size()) owners.push_back({std::string(input.trace.strings()[name])});
      owner = &owners[row];
    }
    owner->bytes += memory.bytes[event];
    ++owner->count;
    seen_bytes += memory.bytes[event];
  }
  if (unattributed.count > 0) owners.push_back(unattributed);
  const std::int64_t unseen_bytes = curve.points[curve.peak].allocated_bytes - seen_bytes;
  if (unseen_bytes > 0) owners.push_back({"[before the trace]", unseen_bytes, 0});
  std::ranges::stable_sort(owners, std::ranges::greater(), &MemoryOwner::bytes);
  if (owners.size() > kMostOwners) {
    MemoryOwner others{"[others]"};
    for (std::size_t i = kMostOwners; i < owners.size(); ++i) {
      others.bytes += owners[i].bytes;
      others.count += owners[i].count;
    }
    owners.resize(kMostOwners);
    owners.push_back(others);
  }
  return owners;
}

std::int64_t not_freed_bytes(const Trace& trace, const MemoryCurve& curve) {
  const MemoryColumns& memory = trace.memory();
  LiveAllocations live(memory);
  std::int64_t unpaired_bytes = 0;
  for (const std::uint32_t event : curve.events) {
    live.apply(event);
    if (memory.addresses[event] == 0 && !is_reservation(memory.actions[event])) {
      unpaired_bytes += memory.bytes[event];
    }
  }
  std::int64_t bytes = std::max<std::int64_t>(unpaired_bytes, 0);
  for (const std::uint32_t event : live.events()) bytes += memory.bytes[event];
  return bytes;
}

namespace {

// Memory events by owner: events[begins[node] .. begins[node + 1]), in file order.
class EventsOfNodes {
 public:
  explicit EventsOfNodes(const AttributedTrace& input) : begins_(input.tree.size() + 1) {
    const auto& owners = input.attribution.memory_owners;
    for (const NodeId owner : owners) {
      if (owner.valid()) ++begins_[owner.index() + 1];
    }
    std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
    events_.resize(begins_.back());
    std::vector<std::uint32_t> next = begins_;
    for (std::uint32_t event = 0; event < owners.size(); ++event) {
      if (owners[event].valid()) events_[next[owners[event].index()]++] = event;
    }
  }
  std::span<const std::uint32_t> of(std::size_t node) const {
    return std::span(events_).subspan(begins_[node], begins_[node + 1] - begins_[node]);
  }

 private:
  std::vector<std::uint32_t> begins_;
  std::vector<std::uint32_t> events_;
};

class PlaceTables {
 public:
  explicit PlaceTables(const Trace& trace) : trace_(trace), place_rows_(trace.strings()) {}

  // An invalid name: outside of ranges.
  void add(StringId name, std::uint32_t event) {
    const MemoryColumns& memory = trace_.memory();
    const MemoryAction action = memory.actions[event];
    const std::size_t place = place_of(event);
    PairRows& rows = is_reservation(action) ? reserved_rows_ : allocated_rows_;
    std::vector<Row>& list = is_reservation(action) ? reserved_ : allocated_;
    const std::size_t row = rows.row_of(static_cast<std::uint32_t>(place), name.value);
    if (row == list.size()) {
      list.push_back({place, name, {}});
      if (!is_reservation(action)) note_first_allocation(place);
    }
    MemoryRow& sums = list[row].sums;
    if (action == MemoryAction::kAllocate || action == MemoryAction::kReserve) {
      ++sums.allocations;
      sums.allocated_bytes += memory.bytes[event];
    } else {
      ++sums.frees;
      sums.freed_bytes -= memory.bytes[event];
    }
  }

  void add_with_peaks(StringId name, std::uint32_t event) {
    add(name, event);
    note_peaks(event);
  }

  // As the trace says them: since its program began.
  void note_peaks(std::uint32_t event) {
    const MemoryColumns& memory = trace_.memory();
    MemoryPlace& place = places_[place_of(event)];
    place.peak_allocated_bytes =
        std::max(place.peak_allocated_bytes, memory.peak_allocated_bytes[event]);
    place.peak_reserved_bytes =
        std::max(place.peak_reserved_bytes, memory.peak_reserved_bytes[event]);
  }

  // Places that have allocations, in the order of the first.
  std::vector<MemoryPlace> take() {
    for (const Row& row : allocated_) places_[row.place].allocated.push_back(named(row));
    for (const Row& row : reserved_) places_[row.place].reserved.push_back(named(row));
    std::vector<MemoryPlace> result;
    for (const std::size_t place : with_allocations_) result.push_back(std::move(places_[place]));
    return result;
  }

 private:
  struct Row {
    std::size_t place;
    StringId name;
    MemoryRow sums;
  };

  std::size_t place_of(std::uint32_t event) {
    const StringId name = trace_.memory().places[event];
    const std::size_t place = place_rows_.row_of(name);
    if (place == places_.size()) {
      places_.emplace_back();
      places_.back().place = std::string(trace_.strings()[name]);
    }
    return place;
  }
  void note_first_allocation(std::size_t place) {
    if (std::find(with_allocations_.begin(), with_allocations_.end(), place) ==
        with_allocations_.end()) {
      with_allocations_.push_back(place);
    }
  }
  MemoryRow named(const Row& row) const {
    MemoryRow result = row.sums;
    result.name = row.name.valid() ? std::string(trace_.strings()[row.name]) : kOutside;
    return result;
  }

  const Trace& trace_;
  NameRows place_rows_;
  std::vector<MemoryPlace> places_;
  std::vector<std::size_t> with_allocations_;
  PairRows allocated_rows_;
  PairRows reserved_rows_;
  std::vector<Row> allocated_;
  std::vector<Row> reserved_;
};

void add_with_direct_children(const AttributedTrace& input, const EventsOfNodes& events,
                              NodeId node, PlaceTables& tables) {
  const OpTree& tree = input.tree;
  const StringId name = input.name(node);
  if (tree.roles[node.index()] == SliceKind::kOperator) {
    const std::size_t end = tree.subtree_ends[node.index()].index();
    for (std::size_t child = node.index() + 1; child < end;
         child = tree.subtree_ends[child].index()) {
      for (const std::uint32_t event : events.of(child)) tables.add_with_peaks(name, event);
    }
  }
  for (const std::uint32_t event : events.of(node.index())) tables.add_with_peaks(name, event);
}

std::vector<MemoryPlace> list_classic_places(const AttributedTrace& input) {
  const OpTree& tree = input.tree;
  const EventsOfNodes events(input);
  const bool outermost_answers = input.trace.traits().nested_operators_are_phases;
  PlaceTables tables(input.trace);
  for (const NodeId node : tree.visiting_order) {
    const std::size_t i = node.index();
    if (tree.is_thread(node)) {
      // No range caused these events, but the memory is in use.
      if (!outermost_answers) continue;
      for (const std::uint32_t event : events.of(i)) tables.note_peaks(event);
    } else if (outermost_answers) {
      const NodeId op = tree.operators[i];
      const StringId name = input.name(op.valid() ? op : node);
      for (const std::uint32_t event : events.of(i)) tables.add_with_peaks(name, event);
    } else if (tree.roles[i] != SliceKind::kOperatorPhase) {
      add_with_direct_children(input, events, node, tables);
    }
  }
  return tables.take();
}

// The most bytes of one kind in the time, with what was already in use when a part of it began.
std::int64_t peak_of(const std::vector<MemoryPoint>& points,
                     const std::optional<IntervalSet>& within, std::int64_t MemoryPoint::*bytes) {
  std::int64_t peak = 0;
  if (!within) {
    for (const MemoryPoint& point : points) peak = std::max(peak, point.*bytes);
    return peak;
  }
  for (const Interval& part : *within) {
    auto point = std::ranges::lower_bound(points, part.start_ns, {}, &MemoryPoint::time_ns);
    const bool starts_between = point == points.end() || point->time_ns > part.start_ns;
    if (starts_between && point != points.begin()) --point;
    for (; point != points.end() && point->time_ns < part.end_ns; ++point) {
      peak = std::max(peak, (*point).*bytes);
    }
  }
  return peak;
}

// A place may hold memory in the time without any event in it: then it has peaks, and no rows.
void set_peaks(const Trace& trace, const std::optional<IntervalSet>& within,
               std::vector<MemoryPlace>& places) {
  for (const MemoryCurve& curve : list_memory_curves(trace)) {
    const std::int64_t allocated = peak_of(curve.points, within, &MemoryPoint::allocated_bytes);
    const std::int64_t reserved = peak_of(curve.points, within, &MemoryPoint::reserved_bytes);
    const StringId name = trace.memory().places[curve.events.front()];
    auto place = std::ranges::find(places, trace.strings()[name], &MemoryPlace::place);
    if (place == places.end()) {
      const bool never_allocates = curve.points[curve.peak].allocated_bytes == 0;
      if (never_allocates || (allocated == 0 && reserved == 0)) continue;
      place = places.insert(places.end(), MemoryPlace{});
      place->place = std::string(trace.strings()[name]);
    }
    place->peak_allocated_bytes = std::max(within ? 0 : place->peak_allocated_bytes, allocated);
    place->peak_reserved_bytes = std::max(within ? 0 : place->peak_reserved_bytes, reserved);
  }
}

}  // namespace

std::vector<MemoryPlace> list_memory_places(const AttributedTrace& input,
                                            const std::optional<IntervalSet>& within) {
  const MemoryColumns& memory = input.trace.memory();
  if (memory.size() == 0) return {};
  if (input.tree.rules == TreeRules::kCompatible) return list_classic_places(input);
  const TimeSelection selection = within ? TimeSelection(*within) : TimeSelection();
  PlaceTables tables(input.trace);
  for (std::uint32_t event = 0; event < memory.size(); ++event) {
    if (!selection.holds(memory.times_ns[event])) continue;
    tables.add_with_peaks(owner_name(input, event), event);
  }
  std::vector<MemoryPlace> places = tables.take();
  set_peaks(input.trace, within, places);
  return places;
}

}  // namespace strobe::analysis
