#include "strobe/analysis/memory/memory_places.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>

#include "strobe/analysis/memory/memory_curve.h"
#include "strobe/analysis/timeline/row_index.h"

namespace strobe::analysis {
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

  void add(StringId name, std::uint32_t event) {
    const MemoryColumns& memory = trace_.memory();
    const MemoryAction action = memory.actions[event];
    const std::size_t place = place_of(event);
    note_peaks(event);
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
    result.name = std::string(trace_.strings()[row.name]);
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
      for (const std::uint32_t event : events.of(child)) tables.add(name, event);
    }
  }
  for (const std::uint32_t event : events.of(node.index())) tables.add(name, event);
}

}  // namespace

std::vector<MemoryPlace> list_memory_places(const AttributedTrace& input) {
  if (input.trace.memory().size() == 0) return {};
  const OpTree& tree = input.tree;
  const EventsOfNodes events(input);
  const bool outermost_answers = input.trace.traits().nested_operators_are_phases;
  PlaceTables tables(input.trace);
  for (const NodeId node : tree.visiting_order) {
    const std::size_t i = node.index();
    if (tree.is_thread(node)) {
      // No range caused these, but the memory is in use all the same.
      if (!outermost_answers) continue;
      for (const std::uint32_t event : events.of(i)) tables.note_peaks(event);
    } else if (outermost_answers) {
      const NodeId op = tree.operators[i];
      const StringId name = input.name(op.valid() ? op : node);
      for (const std::uint32_t event : events.of(i)) tables.add(name, event);
    } else if (tree.roles[i] != SliceKind::kOperatorPhase) {
      add_with_direct_children(input, events, node, tables);
    }
  }
  return tables.take();
}

}  // namespace strobe::analysis
