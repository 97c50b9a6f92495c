#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "strobe/analysis/cycles/cycle_methods.h"
#include "strobe/stats/fft.h"

namespace strobe::analysis {
namespace {

constexpr std::size_t kSignals = 8;
constexpr double kLeastMatch = 0.85;
constexpr double kLeastEstimate = kLeastMatch - 0.1;  // estimates err, exact matches decide
constexpr std::size_t kCandidates = 32;
constexpr double kLeastFunctions = 0.95;
constexpr std::size_t kMostElements = 1
                                      << 20;  // a longer sequence shows no more than its beginning

using Sequence = std::span<const std::uint32_t>;

// +1 or -1, by chance but always the same: the product of two functions' signs is 1 if they are the
// same function and 0 on average over the signals if they are not.
double sign_of(std::uint32_t function, std::size_t signal) {
  std::uint64_t bits = (std::uint64_t{function} + 1) * 0x9E3779B97F4A7C15u;
  bits = (bits ^ (bits >> 31)) * 0xBF58476D1CE4E5B9u;
  bits ^= bits >> 29;
  return (bits >> (8 * signal + 3)) % 2 == 0 ? 1 : -1;
}

// Per lag below `lags`: about the share of elements that equal the one so much later.
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

// The shortest period whose median window holds nearly all functions that are not rare. What a
// window holds only grows with its length, so every longer period does, too.
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

  std::vector<std::uint32_t> reach_;  // per element: how long a window from there must be
};

struct Candidate {
  std::size_t lag = 0;
  double match = 0;
};

// The best by exact match; of equal ones the shortest.
std::optional<InnerPeriod> best_of(Sequence functions, std::vector<Candidate> candidates) {
  // Estimates of equal matches differ in their last digits: rounded, the shorter lag goes first.
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
  // A period too long to be believed must still be seen, or one of its side peaks would win.
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

}  // namespace strobe::analysis
