#include "strobe/analysis/cycles/warm_up.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace strobe::analysis {
namespace {

constexpr std::size_t kLeastSteady = 4;
constexpr std::size_t kMostWarmUp = 3;  // one cycle in so many
constexpr std::size_t kMostCycles = 16;
constexpr double kTimesMedian = 1.5;
constexpr double kTimesLongest = 1.2;
constexpr double kManyDeviations = 6;
// Of a normal distribution, the standard deviation divided by the median absolute deviation.
constexpr double kDeviationOfMedian = 1.4826;
constexpr std::size_t kRareCycles = 50;  // one later cycle in so many may be as long

std::int64_t middle_length_ns(std::vector<std::int64_t>& values_ns) {
  const auto middle = values_ns.begin() + static_cast<std::ptrdiff_t>(values_ns.size() / 2);
  std::nth_element(values_ns.begin(), middle, values_ns.end());
  return *middle;
}

// Cycles longer than this are not as the later ones are.
std::int64_t longest_usual_ns(std::span<const std::int64_t> later_ns) {
  std::vector<std::int64_t> values_ns(later_ns.begin(), later_ns.end());
  const std::int64_t middle_ns = middle_length_ns(values_ns);
  const auto rare =
      values_ns.end() - 1 - static_cast<std::ptrdiff_t>(values_ns.size() / kRareCycles);
  std::nth_element(values_ns.begin(), rare, values_ns.end());
  const auto but_rare_ones = static_cast<double>(*rare);
  for (std::int64_t& value_ns : values_ns) value_ns = std::abs(value_ns - middle_ns);
  const double deviation_ns = kDeviationOfMedian * static_cast<double>(middle_length_ns(values_ns));
  const auto middle = static_cast<double>(middle_ns);
  return static_cast<std::int64_t>(std::max({kTimesMedian * middle, kTimesLongest * but_rare_ones,
                                             middle + kManyDeviations * deviation_ns}));
}

}  // namespace

std::size_t count_warm_up_cycles(std::span<const std::int64_t> lengths_ns) {
  if (lengths_ns.size() <= kLeastSteady) return 0;
  const std::size_t most =
      std::min({lengths_ns.size() / kMostWarmUp, lengths_ns.size() - kLeastSteady, kMostCycles});
  const std::int64_t usual_ns = longest_usual_ns(lengths_ns.subspan(most));
  if (lengths_ns[0] <= usual_ns) return 0;
  // Between two long ones a few may be short: a library tunes in some of its first calls. A single
  // long one among many is a stall.
  std::size_t warm_up = 0;
  std::size_t long_ones = 0;
  for (std::size_t i = 0; i < most; ++i) {
    if (lengths_ns[i] <= usual_ns) continue;
    ++long_ones;
    if (2 * long_ones >= i + 1) warm_up = i + 1;
  }
  return warm_up;
}

WarmUp find_warm_up(std::span<const Interval> cycles) {
  if (cycles.empty()) return {};
  std::vector<std::int64_t> lengths_ns;
  lengths_ns.reserve(cycles.size());
  for (const Interval& cycle : cycles) lengths_ns.push_back(cycle.length_ns());
  const std::size_t warm_up = count_warm_up_cycles(lengths_ns);
  return {warm_up, cycles[warm_up].start_ns};
}

namespace {

// How much of the time before and after a moment the device works.
bool starts_to_work(Interval run, std::int64_t at_ns, std::int64_t before_ns, std::int64_t all_ns) {
  const auto before = static_cast<double>(at_ns - run.start_ns);
  const auto after = static_cast<double>(run.end_ns - at_ns);
  const auto worked = static_cast<double>(before_ns);
  const auto works = static_cast<double>(all_ns - before_ns);
  return 10 * worked <= before && works >= worked && works * before >= 4 * worked * after &&
         works > 0;
}

}  // namespace

std::optional<std::int64_t> find_steady_start_ns(Interval run, const IntervalSet& one_off_calls,
                                                 const IntervalSet& device_works) {
  std::optional<std::int64_t> found;
  const std::int64_t all_ns = total_ns(device_works);
  std::int64_t calls_ns = 0;
  std::int64_t worked_ns = 0;
  auto work = device_works.begin();
  for (const Interval& call : one_off_calls) {
    const std::int64_t so_far_ns = call.end_ns - run.start_ns;
    calls_ns += call.length_ns();
    for (; work != device_works.end() && work->start_ns < call.end_ns; ++work) {
      worked_ns += work->length_ns();
    }
    const bool is_long = 10 * so_far_ns >= run.length_ns();
    if (is_long && 4 * calls_ns >= so_far_ns &&
        starts_to_work(run, call.end_ns, worked_ns, all_ns)) {
      found = call.end_ns;
    }
  }
  return found;
}

}  // namespace strobe::analysis
