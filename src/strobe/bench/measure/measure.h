#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/bench/measure/sampler.h"

// From samples to a time one may quote: warm-up, how many samples, which to set aside, in which
// order the contenders of one shape take turns. Pure but for the samplers, so scripts test it
// exactly.
namespace strobe::bench {

struct StopRule {
  enum class Kind : std::uint8_t { kMedianInterval, kSamples, kTime, kNoise, kEntropy };
  Kind kind = Kind::kMedianInterval;
  double value = 0.005;  // half-width / median, a count, milliseconds or a relative deviation
  std::size_t least_samples = 20;
  double least_ms = 20;
  std::size_t most_samples = 2000;
  double most_ms = 1000;
};
Result<StopRule> parse_stop_rule(
    std::string_view text);  // "samples:100", "time:200ms", "noise:1%", "entropy"
std::string stop_rule_text(const StopRule& rule);

struct WarmUp {
  int least_calls = 5;
  double least_ms = 20;
  double most_ms = 500;
  double clock_tolerance = 0.01;
};

struct MeasureOptions {
  StopRule stop;
  WarmUp warm_up;
  int block = 16;  // samples a turn
  std::uint64_t seed = 1;
  double throttle_below = 0.90;  // of the run's median clock: set aside
  double throttle_share = 0.25;  // more than that set aside: keep all, flag
};

struct Measured {
  TimeSummary summary;
  bool is_noisy = false;
  bool is_throttled = false;
  std::string failure;  // the sampler's error; what came before it is kept
};

// All contenders of one shape together: turns of `block` samples in random order until each is
// done.
std::vector<Measured> measure(std::span<Sampler* const> contenders, TimeMode mode,
                              const MeasureOptions& options);

// Quantiles, spread and the interval of the median.
TimeSummary summarise(std::vector<double> samples_us);
bool is_enough(std::span<const double> samples_us, const StopRule& rule);

}  // namespace strobe::bench
