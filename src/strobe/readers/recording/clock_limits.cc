#include "strobe/readers/recording/clock_limits.h"

#include <algorithm>
#include <utility>

#include "strobe/device/metric_info.h"

namespace strobe::readers {

std::vector<ClockLimit> find_clock_limits(std::vector<ClockLimitSample> samples) {
  std::ranges::stable_sort(samples, {}, &ClockLimitSample::time_ns);
  std::vector<ClockLimit> limits;
  for (std::size_t i = 0; i + 1 < samples.size(); ++i) {
    const std::uint64_t reasons = device::clock_limits_in(samples[i].reasons);
    const Interval interval{samples[i].time_ns, samples[i + 1].time_ns};
    if (reasons == 0 || interval.length_ns() == 0) continue;
    if (!limits.empty() && limits.back().reasons == reasons &&
        limits.back().interval.end_ns == interval.start_ns) {
      limits.back().interval.end_ns = interval.end_ns;
    } else {
      limits.push_back({interval, reasons});
    }
  }
  return limits;
}

void add_clock_limits(std::int32_t device, std::vector<ClockLimitSample> samples, TraceSink& sink) {
  for (const ClockLimit& limit : find_clock_limits(std::move(samples))) {
    sink.builder.add_slice({.start_ns = limit.interval.start_ns,
                            .duration_ns = limit.interval.length_ns(),
                            .name = sink.builder.intern(device::clock_limits_text(limit.reasons)),
                            .track = sink.tracks.about_device(device, "clock limits"),
                            .category = sink.builder.category("condition"),
                            .kind = SliceKind::kCondition,
                            .args = {}});
  }
}

}  // namespace strobe::readers
