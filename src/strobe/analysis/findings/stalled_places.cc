#include "strobe/analysis/findings/stalled_places.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "strobe/base/row_index.h"
#include "strobe/device/vendor_names.h"

namespace strobe::analysis {
namespace {

constexpr std::int64_t kShortPlaceNs = 100'000;

bool can_stall(const IdleRow& row) {
  if (row.longest.length_ns() < kStallNs) return false;
  if (row.kind == IdleKind::kOverhead || row.kind == IdleKind::kDataLoading ||
      row.kind == IdleKind::kLaunched) {
    return false;
  }
  return row.kind != IdleKind::kRuntimeCall ||
         device::runtime_call(row.name) != device::RuntimeCall::kSynchronize;
}

using Place = std::pair<SliceKind, std::string_view>;

bool has_own_slices(const IdleRow& row) {
  return row.kind == IdleKind::kOperator || row.kind == IdleKind::kRuntimeCall;
}

Place place_of(const IdleRow& row) {
  return {row.kind == IdleKind::kOperator ? SliceKind::kOperator : SliceKind::kRuntimeCall,
          row.name};
}

// The median duration of the slices of each place.
std::map<Place, std::int64_t> medians_of(const Trace& trace,
                                         const std::vector<const IdleRow*>& rows) {
  std::map<Place, std::vector<std::int64_t>> durations_ns;
  for (const IdleRow* row : rows) {
    if (has_own_slices(*row)) durations_ns[place_of(*row)];
  }
  const auto& slices = trace.slices();
  const auto list_of = [&](SliceKind kind, std::string_view name) {
    const auto found = durations_ns.find({kind, name});
    return found == durations_ns.end() ? nullptr : &found->second;
  };
  OncePerName operators(trace.strings(),
                        [&](std::string_view name) { return list_of(SliceKind::kOperator, name); });
  OncePerName calls(trace.strings(),
                    [&](std::string_view name) { return list_of(SliceKind::kRuntimeCall, name); });
  for (std::size_t row = 0; row < slices.size(); ++row) {
    const SliceKind kind = slices.kinds[row];
    if (kind != SliceKind::kOperator && kind != SliceKind::kRuntimeCall) continue;
    auto* list =
        kind == SliceKind::kOperator ? operators(slices.names[row]) : calls(slices.names[row]);
    if (list != nullptr) list->push_back(slices.durations_ns[row]);
  }
  std::map<Place, std::int64_t> medians_ns;
  for (auto& [place, list] : durations_ns) {
    if (list.empty()) continue;
    const auto middle = list.begin() + static_cast<std::ptrdiff_t>(list.size() / 2);
    std::nth_element(list.begin(), middle, list.end());
    medians_ns[place] = *middle;
  }
  return medians_ns;
}

}  // namespace

StalledPlaces find_stalled_places(const Trace& trace, const Summary& summary) {
  std::vector<const IdleRow*> rows;
  for (const IdleRow& row : summary.waits.idle) {
    if (can_stall(row)) rows.push_back(&row);
  }
  const std::map<Place, std::int64_t> medians_ns = medians_of(trace, rows);
  StalledPlaces found;
  for (const IdleRow* row : rows) {
    const std::int64_t inside_ns = summary.has_steps ? row->in_steps_ns : row->idle.total_ns;
    if (inside_ns == 0) continue;
    ++found.places;
    found.inside_ns += inside_ns;
    found.largest_ns = std::max(found.largest_ns, inside_ns);
    const auto median = medians_ns.find(place_of(*row));
    if (!has_own_slices(*row) || median == medians_ns.end() || median->second >= kShortPlaceNs)
      continue;
    ++found.short_places;
    found.short_inside_ns += inside_ns;
  }
  return found;
}

}  // namespace strobe::analysis
