#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "strobe/analysis/cycles/cycle_methods.h"
#include "strobe/base/natural_sort.h"
#include "strobe/base/row_index.h"
#include "strobe/stats/fft.h"
#include "strobe/stats/moments.h"

namespace strobe::analysis {
namespace {

constexpr double kAlikeCounts = 1.25;      // groups with counts this near to the rarest are as good
constexpr double kAlikePeriods = 0.02;     // two methods agree if their periods differ by less
constexpr double kPeriodTolerance = 0.05;  // allowed deviation of an anchor chosen for its period
constexpr double kLeastPiece = 0.5;        // shorter parts at the ends of the trace are dropped

// The work of one stream, in execution order.
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
  std::vector<Work> streams(trace.tracks().size());
  const auto& slices = trace.slices();
  for (std::size_t row = 0; row < slices.size(); ++row) {
    if (!is_device_work(slices.kinds[row])) continue;
    Work& work = streams[slices.tracks[row].index()];
    work.slices.push_back(SliceId(row));
    work.busy_ns += slices.durations_ns[row];
  }
  const auto busiest = std::ranges::max_element(
      streams, {}, [](const Work& work) { return std::pair(work.busy_ns, work.slices.size()); });
  return busiest == streams.end() ? std::vector<SliceId>{} : std::move(busiest->slices);
}

Lane lane_of(const Trace& trace) {
  Lane lane;
  lane.slices = work_of_busiest_stream(trace);
  natural_sort(lane.slices,
               [&](SliceId a, SliceId b) { return trace.start_ns(a) < trace.start_ns(b); });
  NameRows rows(trace.strings());
  lane.functions.reserve(lane.slices.size());
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

// The functions that run once per cycle are the rarest ones. Functions with equal counts form a
// group; the group with the most even spacing wins, and its first member begins the cycle.
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

// If rare functions are spaced irregularly, the period of the whole sequence shows which function
// begins a cycle: one that occurs once in each.
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

constexpr std::size_t kMostTested = 8;

// The commonest distances between two occurrences, near the usual one.
std::vector<std::size_t> common_distances(const Lane& lane, std::size_t function) {
  const std::vector<double> distances = distances_in_kernels(lane, function);
  const double usual = stats::median_of(distances);
  std::map<std::size_t, std::size_t> times;
  for (const double distance : distances) {
    if (std::abs(distance - usual) <= kAlikePeriods * usual) {
      ++times[static_cast<std::size_t>(distance)];
    }
  }
  std::vector<std::pair<std::size_t, std::size_t>> by_times(times.begin(), times.end());
  std::ranges::stable_sort(by_times, std::ranges::greater(),
                           &std::pair<std::size_t, std::size_t>::second);
  std::vector<std::size_t> common;
  for (const auto& [distance, count] : by_times) {
    if (common.size() < kMostTested) common.push_back(distance);
  }
  return common;
}

}  // namespace

std::optional<CycleList> find_sure_cycles(const Trace& trace) {
  const Lane lane = lane_of(trace);
  const std::optional<std::size_t> anchor = rare_anchor(trace, lane);
  if (!anchor) return std::nullopt;
  if (!repeats_after(lane.functions, lane.function_count(), common_distances(lane, *anchor))) {
    return std::nullopt;
  }
  CycleList list;
  list.method = CycleMethod::kKernelSequence;
  list.confidence = CycleConfidence::kHigh;
  list.marker = trace.strings()[lane.names[*anchor]];
  list.cycles = cut_at(trace, lane, *anchor);
  tell_types_apart(list.cycles);
  return list;
}

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

namespace {

constexpr std::size_t kSignals = 8;
constexpr double kLeastMatch = 0.85;
constexpr double kLeastEstimate = kLeastMatch - 0.1;  // estimates are inexact; exact matches decide
constexpr std::size_t kCandidates = 32;
constexpr std::size_t kMostParts = 16;
constexpr double kLeastFunctions = 0.95;
constexpr std::size_t kMostElements = 1
                                      << 20;  // a longer sequence is judged by its beginning alone

using Sequence = std::span<const std::uint32_t>;

// +1 or -1, pseudo-random but fixed for each function: the product of two functions' signs is 1 if
// they are the same function and 0 on average over the signals if they are not.
double sign_of(std::uint32_t function, std::size_t signal) {
  std::uint64_t bits = (std::uint64_t{function} + 1) * 0x9E3779B97F4A7C15u;
  bits = (bits ^ (bits >> 31)) * 0xBF58476D1CE4E5B9u;
  bits ^= bits >> 29;
  return (bits >> (8 * signal + 3)) % 2 == 0 ? 1 : -1;
}

// Per lag below `lags`: approximate share of elements that equal the element `lag` places later.
std::vector<double> estimate_matches(Sequence functions, std::size_t count, std::size_t lags) {
  std::vector<double> matches(lags);
  std::vector<double> signs(count);
  std::vector<double> signal(functions.size());
  for (std::size_t s = 0; s < kSignals; ++s) {
    for (std::uint32_t f = 0; f < count; ++f) signs[f] = sign_of(f, s);
    for (std::size_t i = 0; i < signal.size(); ++i) signal[i] = signs[functions[i]];
    const std::vector<double> sums = stats::autocorrelation(signal);
    for (std::size_t lag = 0; lag < lags; ++lag) matches[lag] += sums[lag];
  }
  for (std::size_t lag = 0; lag < lags; ++lag) {
    matches[lag] /= static_cast<double>(kSignals * (functions.size() - lag));
  }
  return matches;
}

double exact_match(Sequence functions, std::size_t lag) {
  std::size_t equal = 0;
  for (std::size_t i = lag; i < functions.size(); ++i) equal += functions[i] == functions[i - lag];
  return static_cast<double>(equal) / static_cast<double>(functions.size() - lag);
}

// Finds the shortest period whose median window holds nearly all functions that are not rare. A
// longer window holds at least as many functions, so every longer period qualifies too.
class Completeness {
 public:
  Completeness(Sequence functions, std::size_t count) : reach_(functions.size(), kNever) {
    std::vector<std::uint32_t> total(count);
    for (const std::uint32_t function : functions) ++total[function];
    const auto common = std::ranges::count_if(
        total, [](std::uint32_t times) { return times >= kLeastRepetitions; });
    const auto needed =
        static_cast<std::size_t>(std::ceil(kLeastFunctions * static_cast<double>(common)));
    if (needed == 0) return;
    std::vector<std::uint32_t> inside(count);
    std::size_t held = 0;
    std::size_t end = 0;
    for (std::size_t begin = 0; begin < functions.size(); ++begin) {
      for (; held < needed && end < functions.size(); ++end) {
        const std::uint32_t function = functions[end];
        held += inside[function]++ == 0 && total[function] >= kLeastRepetitions;
      }
      if (held < needed) break;
      reach_[begin] = static_cast<std::uint32_t>(end - begin);
      const std::uint32_t leaving = functions[begin];
      held -= --inside[leaving] == 0 && total[leaving] >= kLeastRepetitions;
    }
  }

  std::size_t shortest_below(std::size_t limit) const {
    std::size_t low = 1;
    std::size_t high = limit;
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (holds(middle)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

 private:
  static constexpr auto kNever = std::numeric_limits<std::uint32_t>::max();

  bool holds(std::size_t length) const {
    const std::size_t windows = reach_.size() - length + 1;
    const auto whole = std::count_if(reach_.begin(), reach_.begin() + static_cast<long>(windows),
                                     [&](std::uint32_t reach) { return reach <= length; });
    return 2 * static_cast<std::size_t>(whole) >= windows;
  }

  std::vector<std::uint32_t> reach_;  // how long a window from each element must be
};

struct Candidate {
  std::size_t lag = 0;
  double match = 0;
};

// The best one by exact match; the shortest among equal ones.
std::optional<InnerPeriod> best_of(Sequence functions, std::vector<Candidate> candidates) {
  // Estimates of equal matches differ in the last digits: they are rounded, then the lag decides.
  const auto order = [](const Candidate& a, const Candidate& b) {
    const double a_rounded = std::round(a.match * 1e6);
    const double b_rounded = std::round(b.match * 1e6);
    return a_rounded != b_rounded ? a_rounded > b_rounded : a.lag < b.lag;
  };
  const std::size_t kept = std::min(kCandidates, candidates.size());
  std::partial_sort(candidates.begin(), candidates.begin() + static_cast<long>(kept),
                    candidates.end(), order);
  std::optional<InnerPeriod> best;
  for (std::size_t i = 0; i < kept; ++i) {
    const std::size_t lag = candidates[i].lag;
    const double match = exact_match(functions, lag);
    if (match < kLeastMatch) continue;
    if (!best || match > best->match || (match == best->match && lag < best->kernels)) {
      best = InnerPeriod{lag, match};
    }
  }
  return best;
}

}  // namespace

SequencePeriods find_periods(Sequence functions, std::size_t count) {
  functions = functions.first(std::min(functions.size(), kMostElements));
  if (functions.size() < kLeastRepetitions) return {};
  // Periods too long to be accepted must still be considered, or their side peaks would win.
  const std::size_t lags = functions.size() / 2;
  const std::vector<double> matches = estimate_matches(functions, count, lags + 1);
  const std::size_t shortest = Completeness(functions, count).shortest_below(lags);
  std::vector<Candidate> complete;
  std::vector<Candidate> incomplete;
  for (std::size_t lag = 1; lag < lags; ++lag) {
    const double match = matches[lag];
    const bool is_peak = match >= matches[lag - 1] - 1e-9 && match >= matches[lag + 1] - 1e-9;
    if (!is_peak || match < kLeastEstimate) continue;
    (lag >= shortest ? complete : incomplete).push_back({lag, match});
  }
  SequencePeriods periods{best_of(functions, std::move(complete)),
                          best_of(functions, std::move(incomplete))};
  const auto is_too_rare = [&](const InnerPeriod& period) {
    return period.kernels * (kLeastRepetitions - 1) > functions.size();
  };
  if (periods.cycle && is_too_rare(*periods.cycle)) periods.cycle.reset();
  return periods;
}

bool repeats_after(Sequence functions, std::size_t count, std::span<const std::size_t> periods) {
  functions = functions.first(std::min(functions.size(), kMostElements));
  const std::size_t longest = functions.size() / (kLeastRepetitions - 1);
  Candidate best;
  for (const std::size_t period : periods) {
    if (period == 0 || period > longest) continue;
    const double match = exact_match(functions, period);
    if (match > best.match) best = {period, match};
  }
  if (best.match < kLeastMatch) return false;
  const std::size_t shortest = Completeness(functions, count).shortest_below(functions.size() / 2);
  if (best.lag < shortest) return false;
  // If a fraction of the period repeats as well, then that is the cycle.
  for (std::size_t parts = 2; parts <= kMostParts && best.lag / parts >= shortest; ++parts) {
    if (exact_match(functions, best.lag / parts) >= best.match) return false;
  }
  return true;
}

}  // namespace strobe::analysis
