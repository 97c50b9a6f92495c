#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "strobe/analysis/launches/attribution.h"
#include "strobe/analysis/tables/summary.h"
#include "strobe/base/interval.h"

namespace strobe::analysis {

constexpr bool is_reservation(MemoryAction action) {
  return action == MemoryAction::kReserve || action == MemoryAction::kUnreserve;
}

struct MemoryPoint {
  std::int64_t time_ns = 0;
  std::int64_t allocated_bytes = 0;
  std::int64_t reserved_bytes = -1;  // -1 if unknown
};

struct MemoryOwner {
  std::string name;  // operator that allocated, or a note in brackets
  std::int64_t bytes = 0;
  std::uint64_t count = 0;  // allocations
};

// The memory of one place over time.
struct MemoryCurve {
  std::string place;                  // "GPU 0", "CPU"
  std::vector<MemoryPoint> points;    // after each event, by time
  std::vector<std::uint32_t> events;  // rows of MemoryColumns, parallel to points
  std::size_t peak = 0;               // the first point of the most allocated bytes
  std::int64_t reserved_peak_bytes = -1;
};

// One curve for every place with events, in the order of first events. Without totals in the trace,
// its events are added up from zero.
std::vector<MemoryCurve> list_memory_curves(const Trace& trace);

// About four points per column, chosen so that every peak and every low of the allocated bytes,
// every peak of the reserved ones and the end are kept.
std::vector<MemoryPoint> thinned(const std::vector<MemoryPoint>& points, std::uint32_t columns);

// The owners of the memory that was alive at the peak, largest first: the outermost operators
// around the allocations, or else the innermost ranges. Memory whose allocation is not in the trace
// is a line of its own, so that all lines add up to the peak. Empty if the trace has no addresses.
std::vector<MemoryOwner> owners_at_peak(const AttributedTrace& input, const MemoryCurve& curve);

// Bytes allocated in the trace and not freed in it. Events without addresses cannot be paired: what
// they allocate more than they free counts.
std::int64_t not_freed_bytes(const Trace& trace, const MemoryCurve& curve);

// Allocator events by place and by the host range that caused them: the outermost operator, or else
// the innermost range. Every selected event is in one row; those outside of ranges have a row of
// their own. Peaks are those of the selected time.
//
// TreeRules::kCompatible: events outside of ranges have no row. An operator also includes its
// direct children; phases have no rows of their own, other children count under both names. Where
// operators below operators are phases, the outermost one includes every depth, once.
std::vector<MemoryPlace> list_memory_places(const AttributedTrace& input,
                                            const std::optional<IntervalSet>& within = {});

}  // namespace strobe::analysis
