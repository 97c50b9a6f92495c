#include <algorithm>
#include <map>
#include <utility>

#include "strobe/analysis/cycles/cycle_methods.h"
#include "strobe/base/time_columns.h"
#include "strobe/stats/fft.h"

namespace strobe::analysis {
namespace {

constexpr std::uint32_t kBins = 1 << 16;
constexpr std::size_t kLeastBins = 8;   // shorter periods cannot be placed precisely
constexpr double kLeastLikeness = 0.3;  // correlation of the signal with itself one period later
constexpr double kAlikePeaks = 0.75;    // multiples of a period score about as high as the period
constexpr double kSearchedPart = 0.4;   // of a period, around where the next border should be

// The busy time of the busiest device.
struct DeviceWork {
  IntervalSet busy;
  std::size_t slices = 0;
};

DeviceWork busiest_device(const Trace& trace) {
  std::map<std::int32_t, std::vector<Interval>> work;
  for (std::size_t row = 0; row < trace.slice_count(); ++row) {
    const SliceId slice(row);
    if (!is_device_work(trace.kind(slice))) continue;
    work[trace.track(slice).device.value_or(-1)].push_back(trace.interval(slice));
  }
  DeviceWork busiest;
  for (auto& [device, intervals] : work) {
    const std::size_t slices = intervals.size();
    IntervalSet busy = union_of(std::move(intervals));
    if (total_ns(busy) > total_ns(busiest.busy)) busiest = {std::move(busy), slices};
  }
  return busiest;
}

// The busy share of each bin, minus the mean of all bins.
std::vector<double> busy_signal(const IntervalSet& busy, const TimeColumns& bins) {
  std::vector<double> signal(bins.count());
  for (const Interval& work : busy) {
    for (std::uint32_t bin = bins.at(work.start_ns); bin < bins.count(); ++bin) {
      const std::int64_t begin_ns = std::max(work.start_ns, bins.begin_ns(bin));
      const std::int64_t end_ns = std::min(work.end_ns, bins.end_ns(bin));
      if (begin_ns < end_ns) signal[bin] += static_cast<double>(end_ns - begin_ns);
      if (work.end_ns <= bins.end_ns(bin)) break;
    }
  }
  const double mean = static_cast<double>(total_ns(busy)) / static_cast<double>(bins.count());
  for (double& value : signal) value -= mean;
  return signal;
}

// In bins: the shortest lag whose autocorrelation is close to the best one.
std::optional<std::size_t> period_of(const std::vector<double>& signal) {
  const std::vector<double> sums = stats::autocorrelation(signal);
  const std::size_t lags = signal.size() / kLeastRepetitions;
  if (sums[0] <= 0) return std::nullopt;
  std::vector<double> likeness(lags + 2);
  for (std::size_t lag = 0; lag < likeness.size(); ++lag) {
    likeness[lag] = sums[lag] / sums[0] * static_cast<double>(signal.size()) /
                    static_cast<double>(signal.size() - lag);
  }
  // Short lags always correlate. The search starts where the first peak has fallen to zero.
  std::size_t begin = 1;
  while (begin < lags && likeness[begin] > 0) ++begin;
  begin = std::max(begin, kLeastBins);
  if (begin >= lags) return std::nullopt;
  const double best = *std::max_element(likeness.begin() + static_cast<long>(begin),
                                        likeness.begin() + static_cast<long>(lags) + 1);
  if (best < kLeastLikeness) return std::nullopt;
  std::size_t top = begin;
  while (likeness[top] < kAlikePeaks * best) ++top;
  for (std::size_t lag = top; lag <= lags && likeness[lag] >= kAlikePeaks * best; ++lag) {
    if (likeness[lag] > likeness[top]) top = lag;
  }
  return top;
}

struct Gap {
  std::int64_t end_ns = 0;  // where work begins again
  std::int64_t length_ns = 0;
};

// The longest gap that ends in the window; the first one if several are equally long.
const Gap* longest_in(const std::vector<Gap>& gaps, std::int64_t from_ns, std::int64_t to_ns) {
  const Gap* longest = nullptr;
  for (auto gap = std::ranges::lower_bound(gaps, from_ns, {}, &Gap::end_ns);
       gap != gaps.end() && gap->end_ns <= to_ns; ++gap) {
    if (longest == nullptr || gap->length_ns > longest->length_ns) longest = &*gap;
  }
  return longest;
}

// Borders are about one period apart, each at the end of the longest pause nearby.
std::vector<std::int64_t> borders_of(const IntervalSet& busy, double period_ns) {
  std::vector<Gap> gaps;
  for (std::size_t i = 1; i < busy.size(); ++i) {
    gaps.push_back({busy[i].start_ns, busy[i].start_ns - busy[i - 1].end_ns});
  }
  if (gaps.empty()) return {};
  const auto period = static_cast<std::int64_t>(period_ns);
  const auto slack = static_cast<std::int64_t>(kSearchedPart * period_ns);
  const std::int64_t anchor_ns = std::ranges::max_element(gaps, {}, &Gap::length_ns)->end_ns;
  std::vector<std::int64_t> borders_ns{anchor_ns};
  for (const std::int64_t direction : {1, -1}) {
    std::int64_t at_ns = anchor_ns;
    while (true) {
      const std::int64_t expected_ns = at_ns + direction * period;
      if (expected_ns - slack <= busy.front().start_ns) break;
      if (expected_ns + slack >= busy.back().end_ns) break;
      const Gap* const gap = longest_in(gaps, expected_ns - slack, expected_ns + slack);
      at_ns = gap == nullptr ? expected_ns : gap->end_ns;
      borders_ns.push_back(at_ns);
    }
  }
  std::ranges::sort(borders_ns);
  return borders_ns;
}

std::vector<Cycle> cycles_between(const std::vector<std::int64_t>& borders_ns, Interval extent) {
  std::vector<Cycle> cycles;
  const auto add = [&](Interval interval, bool is_inferred) {
    if (interval.length_ns() <= 0) return;
    Cycle cycle;
    cycle.interval = interval;
    cycle.name = "cycle " + std::to_string(cycles.size() + 1);
    cycle.has_inferred_border = is_inferred;
    cycles.push_back(std::move(cycle));
  };
  add({extent.start_ns, borders_ns.front()}, true);
  for (std::size_t i = 1; i < borders_ns.size(); ++i)
    add({borders_ns[i - 1], borders_ns[i]}, false);
  add({borders_ns.back(), extent.end_ns}, true);
  return cycles;
}

}  // namespace

Result<CycleList> cycles_by_busy_signal(const Trace& trace) {
  const Error none{ErrorCode::kTooLittleData, "device activity has no regular rhythm", "", ""};
  const auto [busy, slices] = busiest_device(trace);
  if (busy.empty()) return none;
  const Interval extent{busy.front().start_ns, busy.back().end_ns};
  if (extent.length_ns() < kBins) return none;
  const TimeColumns bins(extent, kBins);
  const std::optional<std::size_t> period = period_of(busy_signal(busy, bins));
  if (!period) return none;
  const double bin_ns = static_cast<double>(extent.length_ns()) / kBins;
  const auto borders_ns = borders_of(busy, static_cast<double>(*period) * bin_ns);
  // A rhythm of single slices is not a cycle of several slices.
  if (borders_ns.size() < kLeastRepetitions || slices < 2 * borders_ns.size()) return none;
  std::vector<double> durations;
  for (std::size_t i = 1; i < borders_ns.size(); ++i) {
    durations.push_back(static_cast<double>(borders_ns[i] - borders_ns[i - 1]));
  }
  if (variation_of(durations) >= kMostVariation) return none;
  CycleList list;
  list.method = CycleMethod::kBusySignal;
  list.cycles = cycles_between(borders_ns, extent);
  return list;
}

}  // namespace strobe::analysis
