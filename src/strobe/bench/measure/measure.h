#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "strobe/bench/measure/sampler.h"
#include "strobe/bench/measure/stop_rule.h"
#include "strobe/bench/measure/summary.h"
#include "strobe/bench/measure/warm_up.h"

// From samples to a time one may quote: warm-up, how many samples, which to set aside, in which
// order the contenders of one shape take turns. Pure but for the samplers, so scripts test it
// exactly.
namespace strobe::bench {

struct MeasureOptions {
  StopRule stop;
  WarmUp warm_up;
  int block = 16;  // samples a turn,
  double turn_ms =
      20;  // or as many as last so long: slow contenders get as many turns as quick ones
  std::uint64_t seed = 1;
  double throttle_below = 0.90;  // of the usual clock: set aside
  double throttle_share = 0.25;  // more than that set aside: keep all, flag
  // The run's median clock, where earlier cells have told it; 0: that of these contenders.
  double usual_mhz = 0;
};

struct Measured {
  TimeSummary summary;
  bool is_noisy = false;
  bool is_throttled = false;
  std::string failure;    // the sampler's error; what came before it is kept
  double median_mhz = 0;  // of all samples; 0: no clock was read
};

// All contenders of one shape together: turns in random order until each is done. Who is done early
// goes on as long as the others need, up to the caps, so that none has seen calmer times.
std::vector<Measured> measure(std::span<Sampler* const> contenders, TimeMode mode,
                              const MeasureOptions& options);

}  // namespace strobe::bench
