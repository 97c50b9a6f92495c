#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <unordered_map>
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
constexpr double kLeastFunctions = 0.95;   // of all that recur: so many are in every cycle

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

// Places in the lane where cycles may begin, ascending.
using Marks = std::vector<std::size_t>;
using MarksView = std::span<const std::size_t>;

std::vector<double> distances_ns(const Trace& trace, const Lane& lane, MarksView marks) {
  std::vector<double> distances;
  for (std::size_t i = 1; i < marks.size(); ++i) {
    distances.push_back(static_cast<double>(trace.start_ns(lane.slices[marks[i]]) -
                                            trace.start_ns(lane.slices[marks[i - 1]])));
  }
  return distances;
}

std::vector<double> distances_in_kernels(MarksView marks) {
  std::vector<double> distances;
  for (std::size_t i = 1; i < marks.size(); ++i) {
    distances.push_back(static_cast<double>(marks[i] - marks[i - 1]));
  }
  return distances;
}

double usual_distance(MarksView marks) { return stats::median_of(distances_in_kernels(marks)); }

bool have_one_length(double period, double other) {
  return std::abs(period - other) <= kAlikePeriods * other;
}

// What begins a cycle recurs throughout the sequence: a prefill or a warm-up may be full of
// functions that never come again.
bool is_spread(std::size_t first, std::size_t last, std::size_t size) {
  return last > first && 2 * (last - first) >= size;
}

std::vector<MarksView> marks_of_functions(const Lane& lane) {
  std::vector<MarksView> marks;
  for (std::size_t f = 0; f < lane.function_count(); ++f) marks.push_back(lane.occurrences(f));
  return marks;
}

// Where one function follows another one. If no function runs just once per cycle, some pair still
// does: the first layer follows the optimizer, all other layers a layer. Nobody knows what came
// before the first kernel; where it is one cycle ahead of a pair, it counts as one.
std::vector<Marks> marks_of_pairs(const Lane& lane) {
  const std::vector<std::uint32_t>& functions = lane.functions;
  std::unordered_map<std::uint64_t, std::size_t> rows;
  std::vector<Marks> marks;
  for (std::size_t i = 1; i < functions.size(); ++i) {
    const std::uint64_t pair = (std::uint64_t{functions[i - 1]} << 32) | functions[i];
    const auto [row, is_new] = rows.try_emplace(pair, marks.size());
    if (is_new) marks.emplace_back();
    marks[row->second].push_back(i);
  }
  for (Marks& of_pair : marks) {
    const std::size_t first = of_pair.front();
    const bool may_begin = functions[first] == functions[0] && of_pair.size() > 1 &&
                           have_one_length(static_cast<double>(first), usual_distance(of_pair));
    if (may_begin) of_pair.insert(of_pair.begin(), 0);
  }
  std::ranges::stable_sort(marks, {}, [](const Marks& of_pair) { return of_pair.front(); });
  return marks;
}

// The first turn of a loop may differ from all others: a prefill, a warm-up.
enum class Turns : std::uint8_t { kAll, kAllButTheFirst };

MarksView marks_of(Turns turns, MarksView marks) {
  return turns == Turns::kAll ? marks : marks.subspan(1);
}

// What runs once per cycle is rarest. Candidates with equal counts form a group; the group with the
// most even spacing in time wins, and its first member begins the cycle. Empty if none is even.
MarksView rarest_even(const Trace& trace, const Lane& lane, std::span<const MarksView> candidates,
                      Turns turns) {
  std::map<std::size_t, MarksView> first_of_count;
  for (const MarksView marks : candidates) {
    const bool recurs = marks.size() >= kLeastRepetitions &&
                        is_spread(marks.front(), marks.back(), lane.slices.size());
    if (recurs) first_of_count.try_emplace(marks.size(), marks);
  }
  MarksView best;
  double least = kMostVariation;
  for (const auto& [count, marks] : first_of_count) {
    const auto rarest = static_cast<double>(first_of_count.begin()->first);
    if (static_cast<double>(count) > kAlikeCounts * rarest) break;
    const MarksView compared = marks_of(turns, marks);
    if (compared.size() < kLeastRepetitions) continue;
    const double variation = variation_of(distances_ns(trace, lane, compared));
    if (variation < least) {
      least = variation;
      best = marks;
    }
  }
  return best;
}

// Of the candidates the first that is accepted: single functions before pairs.
template <class Accept>
Marks first_accepted(const Trace& trace, const Lane& lane, Accept accept) {
  const auto search = [&](std::span<const MarksView> candidates) -> MarksView {
    const MarksView all = rarest_even(trace, lane, candidates, Turns::kAll);
    if (!all.empty() && accept(all)) return all;
    const MarksView later = rarest_even(trace, lane, candidates, Turns::kAllButTheFirst);
    const bool is_new = !later.empty() && later.data() != all.data();
    return is_new && accept(later) ? later : MarksView();
  };
  MarksView marks = search(marks_of_functions(lane));
  if (!marks.empty()) return Marks(marks.begin(), marks.end());
  const std::vector<Marks> pairs = marks_of_pairs(lane);
  marks = search(std::vector<MarksView>(pairs.begin(), pairs.end()));
  return Marks(marks.begin(), marks.end());
}

// If rare functions are spaced irregularly, the period of the whole sequence shows which function
// begins a cycle: one that occurs once in each.
Marks marks_with_period(const Lane& lane, double period) {
  MarksView best;
  double least = kPeriodTolerance;
  for (const MarksView marks : marks_of_functions(lane)) {
    if (marks.size() < kLeastRepetitions) continue;
    double off = 0;
    const std::vector<double> distances = distances_in_kernels(marks);
    for (const double distance : distances) off += std::abs(distance - period);
    off /= period * static_cast<double>(distances.size());
    if (off < least) {
      least = off;
      best = marks;
    }
  }
  return Marks(best.begin(), best.end());
}

std::vector<Cycle> cut_at(const Trace& trace, const Lane& lane, MarksView marks) {
  const double usual = usual_distance(marks);
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
  if (is_enough(marks.front())) add({start_ns(0), start_ns(marks.front())}, true);
  for (std::size_t i = 1; i < marks.size(); ++i) {
    add({start_ns(marks[i - 1]), start_ns(marks[i])}, false);
  }
  if (is_enough(lane.slices.size() - marks.back())) {
    add({start_ns(marks.back()), last_end_ns}, true);
  }
  return cycles;
}

std::string_view name_at(const Trace& trace, const Lane& lane, std::size_t mark) {
  return trace.strings()[lane.names[lane.functions[mark]]];
}

constexpr std::size_t kMostTested = 8;

// The commonest distances between two marks, near the usual one.
std::vector<std::size_t> common_distances(MarksView marks) {
  const std::vector<double> distances = distances_in_kernels(marks);
  const double usual = stats::median_of(distances);
  std::map<std::size_t, std::size_t> times;
  for (const double distance : distances) {
    if (have_one_length(distance, usual)) ++times[static_cast<std::size_t>(distance)];
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

// Whether the sequence repeats at these marks, at least after the first turn.
bool are_sure(const Lane& lane, MarksView marks) {
  const auto repeats = [&](Turns turns) {
    const MarksView compared = marks_of(turns, marks);
    const std::size_t first = turns == Turns::kAll ? 0 : compared.front();
    return compared.size() >= kLeastRepetitions &&
           repeats_after(lane.functions, lane.function_count(), common_distances(compared), first);
  };
  return repeats(Turns::kAll) || repeats(Turns::kAllButTheFirst);
}

// Functions that come throughout, but only twice or three times, are signs of a cycle that is seen
// too seldom to be cut. What comes more often are its layers.
bool is_seen_too_seldom(const Lane& lane) {
  std::size_t recurring = 0;
  std::size_t seldom = 0;
  for (const MarksView marks : marks_of_functions(lane)) {
    const bool is_often = marks.size() >= kLeastRepetitions;
    if (!is_often && !is_spread(marks.front(), marks.back(), lane.slices.size())) continue;
    ++recurring;
    seldom += is_often ? 0 : 1;
  }
  return static_cast<double>(recurring - seldom) < kLeastFunctions * static_cast<double>(recurring);
}

// Marks that the period of the whole sequence does not confirm.
Marks unconfirmed_marks(const Trace& trace, const Lane& lane, const SequencePeriods& periods) {
  const MarksView marks = rarest_even(trace, lane, marks_of_functions(lane), Turns::kAll);
  if (!marks.empty() && !is_seen_too_seldom(lane)) return Marks(marks.begin(), marks.end());
  if (!periods.cycle) return {};
  return marks_with_period(lane, static_cast<double>(periods.cycle->kernels));
}

}  // namespace

std::optional<CycleList> find_sure_cycles(const Trace& trace) {
  const Lane lane = lane_of(trace);
  const Marks marks =
      first_accepted(trace, lane, [&](MarksView found) { return are_sure(lane, found); });
  if (marks.empty()) return std::nullopt;
  CycleList list;
  list.method = CycleMethod::kKernelSequence;
  list.confidence = CycleConfidence::kHigh;
  list.marker = name_at(trace, lane, marks.front());
  list.cycles = cut_at(trace, lane, marks);
  tell_types_apart(list.cycles);
  return list;
}

Result<CycleList> cycles_by_kernel_sequence(const Trace& trace) {
  const Lane lane = lane_of(trace);
  const SequencePeriods periods = find_periods(lane.functions, lane.function_count());
  const auto have_period = [&](MarksView marks) {
    return periods.cycle &&
           have_one_length(usual_distance(marks), static_cast<double>(periods.cycle->kernels));
  };
  Marks marks = first_accepted(
      trace, lane, [&](MarksView found) { return have_period(found) || are_sure(lane, found); });
  CycleList list;
  list.method = CycleMethod::kKernelSequence;
  list.confidence = marks.empty() ? CycleConfidence::kMedium : CycleConfidence::kHigh;
  if (marks.empty()) marks = unconfirmed_marks(trace, lane, periods);
  if (marks.empty()) {
    return Error{
        ErrorCode::kTooLittleData,
        lane.slices.empty() ? "no device work" : "the order of the kernels does not repeat", "",
        ""};
  }
  list.marker = name_at(trace, lane, marks.front());
  list.cycles = cut_at(trace, lane, marks);
  list.inner = periods.inner;
  return list;
}

namespace {

constexpr std::size_t kSignals = 8;
constexpr double kLeastMatch = 0.85;
constexpr double kLeastEstimate = kLeastMatch - 0.1;  // estimates are inexact; exact matches decide
constexpr std::size_t kCandidates = 32;
constexpr std::size_t kMostParts = 16;
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

// Per function: it is not rare. One that comes only twice or three times, but throughout, is a
// sign of a cycle that is seen too seldom: then its layers must not pass for it.
std::vector<char> find_common(Sequence functions, std::size_t count, std::size_t first) {
  struct Occurrences {
    std::size_t times = 0;
    std::size_t first = 0;
    std::size_t last = 0;
  };
  std::vector<Occurrences> occurrences(count);
  for (std::size_t i = 0; i < functions.size(); ++i) {
    Occurrences& function = occurrences[functions[i]];
    if (function.times++ == 0) function.first = i;
    function.last = i;
  }
  std::vector<char> common(count);
  for (std::size_t f = 0; f < count; ++f) {
    const auto& [times, begin, last] = occurrences[f];
    const bool recurs = times >= kLeastRepetitions || is_spread(begin, last, functions.size());
    common[f] = recurs && last >= first ? 1 : 0;
  }
  return common;
}

// Finds the shortest period whose median window holds nearly all functions that are not rare. A
// longer window holds at least as many functions, so every longer period qualifies too. Functions
// that never come at `first` or later do not count.
class Completeness {
 public:
  Completeness(Sequence functions, std::size_t count, std::size_t first = 0)
      : reach_(functions.size(), kNever) {
    const std::vector<char> common = find_common(functions, count, first);
    const auto wanted = std::ranges::count(common, 1);
    const auto needed =
        static_cast<std::size_t>(std::ceil(kLeastFunctions * static_cast<double>(wanted)));
    if (needed == 0) return;
    std::vector<std::uint32_t> inside(count);
    std::size_t held = 0;
    std::size_t end = 0;
    for (std::size_t begin = 0; begin < functions.size(); ++begin) {
      for (; held < needed && end < functions.size(); ++end) {
        const std::uint32_t function = functions[end];
        held += inside[function]++ == 0 && common[function] != 0;
      }
      if (held < needed) break;
      reach_[begin] = static_cast<std::uint32_t>(end - begin);
      const std::uint32_t leaving = functions[begin];
      held -= --inside[leaving] == 0 && common[leaving] != 0;
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

bool repeats_after(Sequence functions, std::size_t count, std::span<const std::size_t> periods,
                   std::size_t first) {
  functions = functions.first(std::min(functions.size(), kMostElements));
  if (first >= functions.size()) return false;
  const Sequence repeating = functions.subspan(first);
  const std::size_t longest = repeating.size() / (kLeastRepetitions - 1);
  Candidate best;
  for (const std::size_t period : periods) {
    if (period == 0 || period > longest) continue;
    const double match = exact_match(repeating, period);
    if (match > best.match) best = {period, match};
  }
  if (best.match < kLeastMatch) return false;
  const std::size_t shortest =
      Completeness(functions, count, first).shortest_below(functions.size() / 2);
  if (best.lag < shortest) return false;
  // If a fraction of the period repeats as well, then that is the cycle.
  for (std::size_t parts = 2; parts <= kMostParts && best.lag / parts >= shortest; ++parts) {
    if (exact_match(repeating, best.lag / parts) >= best.match) return false;
  }
  return true;
}

}  // namespace strobe::analysis
