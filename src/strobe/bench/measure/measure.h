#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/bench/measure/stop_rule.h"
#include "strobe/bench/measure/summary.h"
#include "strobe/bench/providers/provider.h"
#include "strobe/stats/dice.h"

// From samples to a reliable time: warm-up, number of samples, which samples to leave out, and the
// order of turns between the contenders of one shape. Only the samplers have side effects, so tests
// script them exactly.
namespace strobe::bench {

// Provides samples of one cell: a provider in a worker process, or a script in a test. This code
// never reads a clock itself.
class Sampler {
 public:
  virtual ~Sampler() = default;
  virtual Result<SampleBlock> sample(const SampleRequest& request) = 0;
};

struct WarmUp {
  int least_calls = 5;
  double least_ms = 20;
  // For calls of a few microseconds: with the work around each, so many keep the device busy.
  int most_calls = 400;
  double most_ms = 500;
  double clock_tolerance = 0.01;
};

struct WarmedUp {
  int calls = 0;
  double spent_ms = 0;
  bool is_steady = true;  // false: the clock still changed when the time was over
};

// Repeats the call until the device has been busy long enough and its clock is stable between two
// readings; without a readable clock, busy time alone decides.
Result<WarmedUp> warm_up(Sampler& sampler, TimeMode mode, const WarmUp& rule);

// The order of measurements. A round gives every contender one turn, in a new random order: drift
// affects all of them equally, and none always follows the same neighbour. The order depends only
// on the seed, which the run's header stores.
class Turns {
 public:
  Turns(std::size_t contenders, std::uint64_t seed) : contenders_(contenders), dice_(seed) {}

  std::vector<std::size_t> next_round();

 private:
  std::size_t contenders_;
  stats::Dice dice_;
};

struct MeasureOptions {
  StopRule stop;
  WarmUp warm_up;
  int block = 16;  // samples per turn,
  double turn_ms =
      20;  // or as many as fit into this time: slow contenders get as many turns as fast ones
  std::uint64_t seed = 1;
  double throttle_below = 0.90;  // of the usual clock: samples below are left out
  double throttle_share = 0.25;  // if more would be left out: keep all and set a flag
  // The run's median clock if earlier cells have measured it; 0: the median of these contenders.
  double usual_mhz = 0;
};

struct Measured {
  TimeSummary summary;
  bool is_noisy = false;
  bool is_throttled = false;
  std::string failure;    // the sampler's error; earlier samples are kept
  double median_mhz = 0;  // of all samples; 0: no clock was read
};

// Measures all contenders of one shape together, in turns of random order. One that is done early
// continues while the others need time, up to the caps, so that all see the same conditions.
std::vector<Measured> measure(std::span<Sampler* const> contenders, TimeMode mode,
                              const MeasureOptions& options);

// The time of a long call at first, and after the device has settled: at its power limit a device
// lowers its clock after some milliseconds of full load.
constexpr double kSustainedFromUs = 1000;  // shorter calls alone do not heat a device

struct BurstAndSustained {
  double burst_us = 0;
  double sustained_us = 0;
};

// From calls back to back, in order: the median of the first 20 ms (at least three calls) and that
// of the last half. Nothing for calls below a millisecond, or with fewer than eight calls or 100 ms
// in total.
std::optional<BurstAndSustained> burst_and_sustained(std::span<const double> back_to_back_us);

struct SustainedOptions {
  double least_ms = 300;
  double most_ms = 1000;
};

// Runs one cell without turns until the last two quarters agree within 1 %, or the time is up. The
// device should be rested: a busy one has no burst left. Each sample must be one call, as in device
// mode; a replay of many calls is past the burst at once.
Result<std::optional<BurstAndSustained>> measure_sustained(Sampler& sampler, TimeMode mode,
                                                           const SustainedOptions& options = {});

}  // namespace strobe::bench
