#include "strobe/analysis/timeline/metric_values.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace strobe::analysis {
namespace {

using Samples = std::vector<MetricSample>;

constexpr double kUnknownValue = std::numeric_limits<double>::quiet_NaN();
// Samplers are late now and then; after so many intervals the thing itself is gone.
constexpr std::int64_t kLateIntervals = 3;
constexpr std::int64_t kLongestIntervalNs = 3'600'000'000'000;

// The usual time between two samples; 0 if there are not two.
std::int64_t usual_interval_ns(const Samples& samples) {
  std::vector<std::int64_t> intervals_ns;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    intervals_ns.push_back(samples[i].time_ns - samples[i - 1].time_ns);
  }
  if (intervals_ns.empty()) return 0;
  const auto middle = intervals_ns.begin() + static_cast<std::ptrdiff_t>(intervals_ns.size() / 2);
  std::ranges::nth_element(intervals_ns, middle);
  return std::min(*middle, kLongestIntervalNs);
}

class MetricLine {
 public:
  MetricLine(const Samples& samples, SampleHold hold)
      : samples_(samples), usual_ns_(usual_interval_ns(samples)), hold_(hold) {}

  Samples of_gauge(double scale) const {
    Samples line;
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      line.push_back({samples_[i].time_ns, scale * samples_[i].value});
      const bool is_last = i + 1 == samples_.size();
      if (hold_ == SampleHold::kAlways || usual_ns_ == 0) continue;
      if (is_last || stays_away_after(i)) {
        line.push_back({samples_[i].time_ns + usual_ns_, kUnknownValue});
      }
    }
    return line;
  }

  // The first window is taken to be as long as the usual one.
  Samples of_window(double scale) const {
    Samples line;
    std::int64_t known_until_ns = std::numeric_limits<std::int64_t>::min();
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      const bool follows = i > 0 && (hold_ == SampleHold::kAlways || !stays_away_after(i - 1));
      const std::int64_t from_ns =
          follows ? samples_[i - 1].time_ns : samples_[i].time_ns - usual_ns_;
      if (i > 0 && from_ns > known_until_ns) line.push_back({known_until_ns, kUnknownValue});
      line.push_back({from_ns, scale * samples_[i].value});
      known_until_ns = samples_[i].time_ns;
    }
    if (usual_ns_ > 0) line.push_back({known_until_ns, kUnknownValue});
    return line;
  }

  Samples of_counter(double scale) const {
    Samples line;
    for (std::size_t i = 1; i < samples_.size(); ++i) {
      const double seconds =
          static_cast<double>(samples_[i].time_ns - samples_[i - 1].time_ns) / 1e9;
      if (seconds <= 0) continue;
      const double growth = samples_[i].value - samples_[i - 1].value;
      // A counter that was set back says nothing about the time in between.
      const double rate = growth < 0 ? kUnknownValue : scale * growth / seconds;
      line.push_back({samples_[i - 1].time_ns, rate});
    }
    if (!line.empty()) line.push_back({samples_.back().time_ns, kUnknownValue});
    return line;
  }

  Samples of_event(double scale) const {
    Samples line;
    for (const MetricSample& sample : samples_) {
      if (!line.empty() && line.back().time_ns >= sample.time_ns) line.pop_back();
      line.push_back({sample.time_ns, scale * sample.value});
      line.push_back({sample.time_ns + 1, kUnknownValue});
    }
    return line;
  }

 private:
  bool stays_away_after(std::size_t i) const {
    return i + 1 < samples_.size() &&
           (samples_[i + 1].time_ns - samples_[i].time_ns) / kLateIntervals > usual_ns_;
  }

  const Samples& samples_;
  std::int64_t usual_ns_;
  SampleHold hold_;
};

}  // namespace

std::vector<MetricSample> metric_line(const std::vector<MetricSample>& samples,
                                      const device::MetricInfo& info, SampleHold hold) {
  const MetricLine line(samples, hold);
  switch (info.kind) {
    case device::MetricKind::kWindow:
      return line.of_window(info.scale);
    case device::MetricKind::kCounter:
      return line.of_counter(info.scale);
    case device::MetricKind::kEvent:
      return line.of_event(info.scale);
    case device::MetricKind::kGauge:
      break;
  }
  return line.of_gauge(info.scale);
}

}  // namespace strobe::analysis
