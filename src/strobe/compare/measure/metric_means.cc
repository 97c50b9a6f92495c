#include "strobe/compare/measure/metric_means.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "strobe/stats/moments.h"

namespace strobe::compare {
namespace {

constexpr double kHeldPeriods = 2;
constexpr double kNsPerSecond = 1e9;

std::int64_t hold_of(const MetricSeries& series) {
  return static_cast<std::int64_t>(std::llround(kHeldPeriods * median_period_ns(series)));
}

void append_gauge(const MetricSeries& series, double scale, Signal& signal) {
  const std::int64_t hold_ns = hold_of(series);
  const auto& times_ns = series.times_ns;
  if (times_ns.empty() || hold_ns == 0) return;
  signal.push_back({{times_ns.front() - hold_ns, times_ns.front()}, series.values.front() * scale});
  for (std::size_t i = 1; i < times_ns.size(); ++i) {
    const double from = series.values[i - 1] * scale;
    const double to = series.values[i] * scale;
    const double length_ns = static_cast<double>(times_ns[i] - times_ns[i - 1]);
    signal.push_back({{times_ns[i - 1], times_ns[i]}, from, (to - from) / length_ns});
  }
  signal.push_back({{times_ns.back(), times_ns.back() + hold_ns}, series.values.back() * scale});
}

void append_bits(const MetricSeries& series, Signal& signal) {
  const std::int64_t hold_ns = hold_of(series);
  const auto& times_ns = series.times_ns;
  if (times_ns.empty() || hold_ns == 0) return;
  signal.push_back({{times_ns.front() - hold_ns, times_ns.front()}, series.values.front()});
  for (std::size_t i = 1; i < times_ns.size(); ++i) {
    signal.push_back({{times_ns[i - 1], times_ns[i]}, series.values[i - 1]});
  }
  signal.push_back({{times_ns.back(), times_ns.back() + hold_ns}, series.values.back()});
}

void append_windows(const MetricSeries& series, double scale, Signal& signal) {
  for (std::size_t i = 1; i < series.times_ns.size(); ++i) {
    signal.push_back({{series.times_ns[i - 1], series.times_ns[i]}, series.values[i] * scale});
  }
}

void append_rates(const MetricSeries& series, double scale, Signal& signal) {
  for (std::size_t i = 1; i < series.times_ns.size(); ++i) {
    const double growth = series.values[i] - series.values[i - 1];
    if (growth < 0) continue;
    const double length_ns = static_cast<double>(series.times_ns[i] - series.times_ns[i - 1]);
    signal.push_back(
        {{series.times_ns[i - 1], series.times_ns[i]}, growth / length_ns * kNsPerSecond * scale});
  }
}

}  // namespace

double median_period_ns(const MetricSeries& series) {
  if (series.times_ns.size() < 2) return 0;
  std::vector<double> distances_ns;
  for (std::size_t i = 1; i < series.times_ns.size(); ++i) {
    distances_ns.push_back(static_cast<double>(series.times_ns[i] - series.times_ns[i - 1]));
  }
  return stats::median_of(distances_ns);
}

Signal signal_of(const MetricSeries& series, const device::MetricInfo& info,
                 std::int64_t shift_ns) {
  Signal signal;
  switch (info.kind) {
    case device::MetricKind::kGauge:
      if (info.role == device::MetricRole::kThrottleReasons) {
        append_bits(series, signal);
      } else {
        append_gauge(series, info.scale, signal);
      }
      break;
    case device::MetricKind::kWindow:
      append_windows(series, info.scale, signal);
      break;
    case device::MetricKind::kCounter:
      append_rates(series, info.scale, signal);
      break;
    case device::MetricKind::kEvent:
      break;
  }
  for (Piece& piece : signal) {
    piece.interval.start_ns += shift_ns;
    piece.interval.end_ns += shift_ns;
  }
  return signal;
}

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kLeastCoverage = 0.5;

std::vector<Interval> cells_of(const std::vector<Signal>& signals, const TimeParts& cycles) {
  std::vector<std::int64_t> cuts_ns;
  for (const Signal& signal : signals) {
    for (const Piece& piece : signal) {
      cuts_ns.push_back(piece.interval.start_ns);
      cuts_ns.push_back(piece.interval.end_ns);
    }
  }
  std::sort(cuts_ns.begin(), cuts_ns.end());
  cuts_ns.erase(std::unique(cuts_ns.begin(), cuts_ns.end()), cuts_ns.end());

  std::vector<Interval> cells;
  for (std::size_t cycle = 0; cycle < cycles.size(); ++cycle) {
    Interval cell = cycles[cycle];
    auto cut = std::upper_bound(cuts_ns.begin(), cuts_ns.end(), cell.start_ns);
    for (; cut != cuts_ns.end() && *cut < cell.end_ns; ++cut) {
      cells.push_back({cell.start_ns, *cut});
      cell.start_ns = *cut;
    }
    if (cell.start_ns < cell.end_ns) cells.push_back(cell);
  }
  return cells;
}

}  // namespace

MetricGrid::MetricGrid(const std::vector<Signal>& signals, const TimeParts& cycles)
    : signals_(signals.size()),
      cycles_(cycles.size()),
      cells_(cells_of(signals, cycles)),
      lines_(cells_.size() * signals_, Line{kNaN, 0}),
      references_(cycles_ * signals_, kNaN) {
  for (std::size_t cell = 0, cycle = 0; cell < cells_.size(); ++cell) {
    while (!cycles.contains(cycle, cells_[cell].start_ns)) ++cycle;
    cycle_of_.push_back(cycle);
  }
  for (std::size_t signal = 0; signal < signals_; ++signal) {
    auto piece = signals[signal].begin();
    for (std::size_t cell = 0; cell < cells_.size(); ++cell) {
      const std::int64_t start_ns = cells_[cell].start_ns;
      while (piece != signals[signal].end() && piece->interval.end_ns <= start_ns) ++piece;
      if (piece == signals[signal].end()) break;
      if (piece->interval.start_ns > start_ns) continue;
      const double value =
          piece->value +
          piece->slope_per_ns * static_cast<double>(start_ns - piece->interval.start_ns);
      double& reference = references_[cycle_of_[cell] * signals_ + signal];
      if (std::isnan(reference)) reference = value;
      lines_[cell * signals_ + signal] = {value - reference, piece->slope_per_ns};
    }
  }
}

std::size_t MetricSums::add_target(std::vector<std::size_t> signals) {
  const std::vector<double> zeros(grid_->cycles());
  Target target{std::move(signals), zeros, {}};
  target.means.assign(target.signals.size(), {zeros, zeros, zeros});
  targets_.push_back(std::move(target));
  pending_.emplace_back();
  return targets_.size() - 1;
}

void MetricSums::settle(std::size_t target) {
  Pending& pending = pending_[target];
  if (pending.cell == SIZE_MAX) return;
  Target& sums = targets_[target];
  const std::size_t cycle = grid_->cycle_of(pending.cell);
  sums.time_ns[cycle] += pending.length;
  for (std::size_t i = 0; i < sums.signals.size(); ++i) {
    const auto [value, slope] = grid_->line(sums.signals[i], pending.cell);
    if (std::isnan(value)) continue;
    CycleMeans& means = sums.means[i];
    means.mean[cycle] += value * pending.length + slope * pending.moment;
    means.deviation[cycle] += value * value * pending.length + 2 * value * slope * pending.moment +
                              slope * slope * pending.square;
    means.coverage[cycle] += pending.length;
  }
  pending = {};
}

std::vector<CycleMeans> MetricSums::take_means(std::size_t target) {
  settle(target);
  Target& sums = targets_[target];
  for (std::size_t i = 0; i < sums.signals.size(); ++i) {
    CycleMeans& means = sums.means[i];
    for (std::size_t cycle = 0; cycle < grid_->cycles(); ++cycle) {
      const double covered_ns = means.coverage[cycle];
      means.coverage[cycle] = sums.time_ns[cycle] > 0 ? covered_ns / sums.time_ns[cycle] : kNaN;
      if (!(means.coverage[cycle] >= kLeastCoverage)) {
        means.mean[cycle] = means.deviation[cycle] = kNaN;
        continue;
      }
      const double offset = means.mean[cycle] / covered_ns;
      const double variance = means.deviation[cycle] / covered_ns - offset * offset;
      means.mean[cycle] = grid_->reference(sums.signals[i], cycle) + offset;
      means.deviation[cycle] = std::sqrt(std::max(0.0, variance));
    }
  }
  return std::move(sums.means);
}

}  // namespace strobe::compare
