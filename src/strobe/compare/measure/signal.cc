#include "strobe/compare/measure/signal.h"

#include <cmath>

#include "strobe/stats/moments.h"

namespace strobe::compare {
namespace {

constexpr double kHeldPeriods = 2;
constexpr double kNsPerSecond = 1e9;

void append_gauge(const MetricSeries& series, double scale, Signal& signal) {
  const auto hold_ns =
      static_cast<std::int64_t>(std::llround(kHeldPeriods * median_period_ns(series)));
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
      append_gauge(series, info.scale, signal);
      break;
    case device::MetricKind::kWindow:
      append_windows(series, info.scale, signal);
      break;
    case device::MetricKind::kCounter:
      append_rates(series, info.scale, signal);
      break;
  }
  for (Piece& piece : signal) {
    piece.interval.start_ns += shift_ns;
    piece.interval.end_ns += shift_ns;
  }
  return signal;
}

}  // namespace strobe::compare
