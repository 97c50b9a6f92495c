#include "strobe/bench/measure/net.h"

#include <algorithm>

namespace strobe::bench {

std::optional<TimeSummary> net_of(const TimeSummary& gross, TimeMode mode, const Floors& floors) {
  if (mode != TimeMode::kDevice || !floors.event_pair) return {};
  const double pair_us = *floors.event_pair;
  TimeSummary net = gross;
  for (double* time : {&net.p50, &net.p20, &net.p80, &net.min, &net.ci95[0], &net.ci95[1]}) {
    *time = std::max(0.0, *time - pair_us);
  }
  for (float& sample : net.samples_us) {
    sample = std::max(0.0F, sample - static_cast<float>(pair_us));
  }
  return net;
}

}  // namespace strobe::bench
