#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "strobe/analysis/cycles/cycle_methods.h"
#include "strobe/analysis/timeline/row_index.h"
#include "strobe/stats/moments.h"

namespace strobe::analysis {
namespace {

constexpr double kAlikeCounts = 1.25;      // groups this near to the rarest are as good
constexpr double kAlikePeriods = 0.02;     // two ways agree if they differ by less
constexpr double kPeriodTolerance = 0.05;  // an anchor chosen for its period keeps it so well
constexpr double kLeastPiece = 0.5;        // less of a cycle at the ends of the trace is none

// The work of one stream in the order in which it ran.
struct Lane {
  std::vector<SliceId> slices;           // by start
  std::vector<std::uint32_t> functions;  // per slice, numbered as they first occur
  std::vector<StringId> names;           // per function
  // Where each function occurs: positions[first[f]] to positions[first[f + 1]].
  std::vector<std::size_t> first;
  std::vector<std::size_t> positions;

  std::size_t function_count() const { return names.size(); }
  std::span<const std::size_t> occurrences(std::size_t function) const {
    return std::span(positions).subspan(first[function], first[function + 1] - first[function]);
  }
};

std::vector<SliceId> work_of_busiest_stream(const Trace& trace) {
  struct Work {
    std::vector<SliceId> slices;
    std::int64_t busy_ns = 0;
  };
  std::map<TrackId, Work> streams;
  const auto& slices = trace.slices();
  for (std::size_t row = 0; row < slices.size(); ++row) {
    if (!is_device_work(slices.kinds[row])) continue;
    Work& work = streams[slices.tracks[row]];
    work.slices.push_back(SliceId(row));
    work.busy_ns += slices.durations_ns[row];
  }
  const auto busiest = std::ranges::max_element(streams, {}, [](const auto& entry) {
    return std::pair(entry.second.busy_ns, entry.second.slices.size());
  });
  return busiest == streams.end() ? std::vector<SliceId>{} : std::move(busiest->second.slices);
}

Lane lane_of(const Trace& trace) {
  Lane lane;
  lane.slices = work_of_busiest_stream(trace);
  std::ranges::stable_sort(lane.slices, {}, [&](SliceId slice) { return trace.start_ns(slice); });
  NameRows rows(trace.strings());
  for (const SliceId slice : lane.slices) {
    const std::size_t row = rows.row_of(trace.slices().names[slice.index()]);
    lane.functions.push_back(static_cast<std::uint32_t>(row));
  }
  for (std::size_t row = 0; row < rows.size(); ++row) lane.names.push_back(rows.name(row));
  lane.first.resize(lane.function_count() + 1);
  for (const std::uint32_t function : lane.functions) ++lane.first[function + 1];
  for (std::size_t f = 0; f < lane.function_count(); ++f) lane.first[f + 1] += lane.first[f];
  std::vector<std::size_t> next = lane.first;
  lane.positions.resize(lane.slices.size());
  for (std::size_t i = 0; i < lane.slices.size(); ++i) {
    lane.positions[next[lane.functions[i]]++] = i;
  }
  return lane;
}

std::vector<double> arrival_distances_ns(const Trace& trace, const Lane& lane,
                                         std::size_t function) {
  const auto occurrences = lane.occurrences(function);
  std::vector<double> distances;
  for (std::size_t i = 1; i < occurrences.size(); ++i) {
    distances.push_back(static_cast<double>(trace.start_ns(lane.slices[occurrences[i]]) -
                                            trace.start_ns(lane.slices[occurrences[i - 1]])));
  }
  return distances;
}

std::vector<double> distances_in_kernels(const Lane& lane, std::size_t function) {
  const auto occurrences = lane.occurrences(function);
  std::vector<double> distances;
  for (std::size_t i = 1; i < occurrences.size(); ++i) {
    distances.push_back(static_cast<double>(occurrences[i] - occurrences[i - 1]));
  }
  return distances;
}

// The functions that run once per cycle are the rarest ones. Those of equal counts go together; the
// group that comes most evenly wins, and its first member begins the cycle.
std::optional<std::size_t> rare_anchor(const Trace& trace, const Lane& lane) {
  std::map<std::size_t, std::size_t> first_of_count;
  for (std::size_t f = 0; f < lane.function_count(); ++f) {
    const std::size_t count = lane.occurrences(f).size();
    if (count >= kLeastRepetitions) first_of_count.try_emplace(count, f);
  }
  std::optional<std::size_t> best;
  double least = kMostVariation;
  for (const auto& [count, function] : first_of_count) {
    const auto rarest = static_cast<double>(first_of_count.begin()->first);
    if (static_cast<double>(count) > kAlikeCounts * rarest) break;
    const double variation = variation_of(arrival_distances_ns(trace, lane, function));
    if (variation < least) {
      least = variation;
      best = function;
    }
  }
  return best;
}

// Where rare functions come at odd times, the period of the whole sequence tells which function
// begins a cycle: one that comes once in each.
std::optional<std::size_t> anchor_with_period(const Lane& lane, double period) {
  std::optional<std::size_t> best;
  double least = kPeriodTolerance;
  for (std::size_t f = 0; f < lane.function_count(); ++f) {
    if (lane.occurrences(f).size() < kLeastRepetitions) continue;
    double off = 0;
    const std::vector<double> distances = distances_in_kernels(lane, f);
    for (const double distance : distances) off += std::abs(distance - period);
    off /= period * static_cast<double>(distances.size());
    if (off < least) {
      least = off;
      best = f;
    }
  }
  return best;
}

std::vector<Cycle> cut_at(const Trace& trace, const Lane& lane, std::size_t function) {
  const auto occurrences = lane.occurrences(function);
  const double usual = stats::median_of(distances_in_kernels(lane, function));
  const auto is_enough = [&](std::size_t kernels) {
    return static_cast<double>(kernels) >= kLeastPiece * usual;
  };
  std::int64_t last_end_ns = trace.end_ns(lane.slices.back());
  for (const SliceId slice : lane.slices) last_end_ns = std::max(last_end_ns, trace.end_ns(slice));
  const auto start_ns = [&](std::size_t at) { return trace.start_ns(lane.slices[at]); };

  std::vector<Cycle> cycles;
  const auto add = [&](Interval interval, bool is_inferred) {
    Cycle cycle;
    cycle.interval = interval;
    cycle.name = "cycle " + std::to_string(cycles.size() + 1);
    cycle.has_inferred_border = is_inferred;
    if (interval.length_ns() > 0) cycles.push_back(std::move(cycle));
  };
  if (is_enough(occurrences.front())) add({start_ns(0), start_ns(occurrences.front())}, true);
  for (std::size_t i = 1; i < occurrences.size(); ++i) {
    add({start_ns(occurrences[i - 1]), start_ns(occurrences[i])}, false);
  }
  if (is_enough(lane.slices.size() - occurrences.back())) {
    add({start_ns(occurrences.back()), last_end_ns}, true);
  }
  return cycles;
}

}  // namespace

Result<CycleList> cycles_by_kernel_sequence(const Trace& trace) {
  const Lane lane = lane_of(trace);
  const SequencePeriods periods = find_periods(lane.functions, lane.function_count());
  std::optional<std::size_t> anchor = rare_anchor(trace, lane);
  CycleList list;
  list.method = CycleMethod::kKernelSequence;
  list.confidence = CycleConfidence::kMedium;
  if (anchor && periods.cycle) {
    const double usual = stats::median_of(distances_in_kernels(lane, *anchor));
    const auto period = static_cast<double>(periods.cycle->kernels);
    if (std::abs(usual - period) <= kAlikePeriods * period) {
      list.confidence = CycleConfidence::kHigh;
    }
  } else if (periods.cycle) {
    anchor = anchor_with_period(lane, static_cast<double>(periods.cycle->kernels));
  }
  if (!anchor) {
    return Error{
        ErrorCode::kTooLittleData,
        lane.slices.empty() ? "no device work" : "the order of the kernels does not repeat", "",
        ""};
  }
  list.marker = trace.strings()[lane.names[*anchor]];
  list.cycles = cut_at(trace, lane, *anchor);
  list.inner = periods.inner;
  return list;
}

}  // namespace strobe::analysis
