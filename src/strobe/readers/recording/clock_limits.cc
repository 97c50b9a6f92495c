#include "strobe/readers/recording/clock_limits.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace strobe::readers {
namespace {

struct Reason {
  std::uint64_t bit;
  std::string_view words;
};
constexpr Reason kReasons[] = {
    {0x40, "hardware thermal slowdown"},
    {0x80, "hardware power brake"},
    {0x20, "thermal slowdown"},
    {0x04, "power cap"},
    {0x10, "sync boost"},
    {0x100, "display clocks"},
    {0x02, "application clocks"},
};
constexpr std::uint64_t kIdle = 0x01;
// Set together with one of the first two, and alone where the driver knows no more.
constexpr std::uint64_t kHardwareSlowdown = 0x08;
constexpr std::uint64_t kHardwareReasons = 0x40 | 0x80;

std::uint64_t limits_in(std::uint64_t reasons) {
  reasons &= ~kIdle;
  return (reasons & kHardwareReasons) != 0 ? reasons & ~kHardwareSlowdown : reasons;
}

}  // namespace

std::vector<ClockLimit> find_clock_limits(std::vector<ClockLimitSample> samples) {
  std::ranges::stable_sort(samples, {}, &ClockLimitSample::time_ns);
  std::vector<ClockLimit> limits;
  for (std::size_t i = 0; i + 1 < samples.size(); ++i) {
    const std::uint64_t reasons = limits_in(samples[i].reasons);
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

std::string clock_limit_words(std::uint64_t reasons) {
  std::string words;
  const auto add = [&](std::string_view more) {
    if (!words.empty()) words += ", ";
    words += more;
  };
  std::uint64_t left = limits_in(reasons);
  if ((left & kHardwareSlowdown) != 0) add("hardware slowdown");
  left &= ~kHardwareSlowdown;
  for (const Reason& reason : kReasons) {
    if ((left & reason.bit) != 0) add(reason.words);
    left &= ~reason.bit;
  }
  if (left != 0) add(fmt::format("reason 0x{:x}", left));
  return words;
}

void add_clock_limits(std::int32_t device, std::vector<ClockLimitSample> samples,
                      RecordingSink& sink) {
  for (const ClockLimit& limit : find_clock_limits(std::move(samples))) {
    sink.builder.add_slice({.start_ns = limit.interval.start_ns,
                            .duration_ns = limit.interval.length_ns(),
                            .name = sink.builder.intern(clock_limit_words(limit.reasons)),
                            .track = sink.tracks.about_device(device, "clock limits"),
                            .category = sink.builder.category("condition"),
                            .kind = SliceKind::kCondition,
                            .args = {}});
  }
}

}  // namespace strobe::readers
