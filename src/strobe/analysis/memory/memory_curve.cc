#include "strobe/analysis/memory/memory_curve.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "strobe/analysis/tables/columns.h"
#include "strobe/analysis/tables/natural_sort.h"
#include "strobe/analysis/timeline/row_index.h"
#include "strobe/trace/column.h"

namespace strobe::analysis {
namespace {

constexpr std::size_t kMostOwners = 100;

// "GPU 0" of "Place(gpu:0)": the word for the device is the trace's.
std::string place_name(const Trace& trace, std::string_view place) {
  constexpr std::string_view kOpen = "Place(";
  if (place.starts_with(kOpen) && place.ends_with(')')) {
    place = place.substr(kOpen.size(), place.size() - kOpen.size() - 1);
  }
  constexpr std::string_view kDevice = "gpu:";
  if (place == "cpu") return "CPU";
  if (!place.starts_with(kDevice)) return std::string(place);
  return trace.traits().device_label + " " + std::string(place.substr(kDevice.size()));
}

// One quantity after each event: the totals of the trace, carried over events without one, or the
// events' own bytes added up if it gives none. -1 if it says nothing at all.
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

// What is alive after some events of a curve, by address.
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

StringId owner_name(const AttributedTrace& input, std::uint32_t event) {
  const NodeId owner = input.attribution.memory_owners[event];
  if (!owner.valid() || input.tree.is_thread(owner)) return {};
  const NodeId op = input.tree.operators[owner.index()];
  return input.name(op.valid() ? op : owner);
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
  const Columns screen({points.front().time_ns, points.back().time_ns + 1}, columns);
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
  MemoryOwner nobody{"[unattributed]"};
  std::int64_t seen_bytes = 0;
  for (const std::uint32_t event : live.events()) {
    const StringId name = owner_name(input, event);
    MemoryOwner* owner = &nobody;
    if (name.valid()) {
      const std::size_t row = rows.row_of(name);
      if (row == owners.size()) owners.push_back({std::string(input.trace.strings()[name])});
      owner = &owners[row];
    }
    owner->bytes += memory.bytes[event];
    ++owner->count;
    seen_bytes += memory.bytes[event];
  }
  if (nobody.count > 0) owners.push_back(nobody);
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
  const std::int64_t unseen_bytes = curve.points[curve.peak].allocated_bytes - seen_bytes;
  if (unseen_bytes > 0) owners.push_back({"[before the trace]", unseen_bytes, 0});
  return owners;
}

std::int64_t not_freed_bytes(const Trace& trace, const MemoryCurve& curve) {
  LiveAllocations live(trace.memory());
  for (const std::uint32_t event : curve.events) live.apply(event);
  std::int64_t bytes = 0;
  for (const std::uint32_t event : live.events()) bytes += trace.memory().bytes[event];
  return bytes;
}

}  // namespace strobe::analysis
