#include "strobe/analysis/waits/profiler_overhead.h"

#include <array>

#include "strobe/analysis/waits/interval_parts.h"

namespace strobe::analysis {
namespace {

constexpr std::array kOverheadsOfTheDriver = std::to_array<std::string_view>({
    "Driver Compiler",
    "Runtime Triggered Module Loading",
    "Lazy Function Loading",
    "Command Buffer Full",
});

}  // namespace

bool is_own_overhead(std::string_view name) {
  return std::find(kOverheadsOfTheDriver.begin(), kOverheadsOfTheDriver.end(), name) ==
         kOverheadsOfTheDriver.end();
}

OverheadTimes::OverheadTimes(const AttributedTrace& input) {
  const Trace& trace = input.trace;
  const auto& slices = trace.slices();
  for (const SliceId slice : input.attribution.loose_slices) {
    if (slices.kinds[slice.index()] != SliceKind::kOverhead) continue;
    if (is_own_overhead(trace.name(slice))) {
      times_.push_back({trace.interval(slice), slices.names[slice.index()]});
    }
  }
  std::stable_sort(times_.begin(), times_.end(), [](const Time& a, const Time& b) {
    return a.interval.start_ns != b.interval.start_ns ? a.interval.start_ns < b.interval.start_ns
                                                      : a.interval.end_ns > b.interval.end_ns;
  });
  UncoveredPart uncovered;
  for (Time& time : times_) time.interval = uncovered.of(time.interval);
  std::erase_if(times_, [](const Time& time) { return time.interval.length_ns() <= 0; });
}

}  // namespace strobe::analysis
