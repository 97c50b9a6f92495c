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

// From samples to a time one may quote: warm-up, how many samples, which to set aside, in which
// order the contenders of one shape take turns. Pure but for the samplers, so scripts test it
// exactly.
namespace strobe::bench {

// Gives samples of one cell: a provider in a worker process, or a script in a test. The core never
// sees a clock itself.
class Sampler {
 public:
  virtual ~Sampler() = default;
  virtual Result<SampleBlock> sample(const SampleRequest& request) = 0;
};

struct WarmUp {
  int least_calls = 5;
  double least_ms = 20;
  // Calls of a few microseconds: as many, with what lies around each, keep the device as busy.
  int most_calls = 400;
  double most_ms = 500;
  double clock_tolerance = 0.01;
};

struct WarmedUp {
  int calls = 0;
  double spent_ms = 0;
  bool is_steady = true;  // false: the clock still moved when it was time to go on
};

// Calls until the device has been busy long enough and its clock stands still between two readings;
// where no clock can be read, busy is all that can be asked for.
Result<WarmedUp> warm_up(Sampler& sampler, TimeMode mode, const WarmUp& rule);

// Who measures when. A round gives every contender one turn, in an order that is drawn anew for
// each: whatever drifts meets all of them alike, and nobody always follows the same neighbour. The
// order follows from the seed, which the run's header keeps.
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

// How fast a long call is at first, and how fast it stays: a device that meets its power limit
// lowers its clock after some milliseconds of full load.
constexpr double kSustainedFromUs = 1000;  // shorter calls do not heat a device alone

struct BurstAndSustained {
  double burst_us = 0;
  double sustained_us = 0;
};

// From calls back to back, in their order: the median of the first 20 ms (at least three calls) and
// that of the last half. Nothing for calls below a millisecond, and where fewer than eight calls or
// 100 ms would have to speak for both.
std::optional<BurstAndSustained> burst_and_sustained(std::span<const double> back_to_back_us);

struct SustainedOptions {
  double least_ms = 300;
  double most_ms = 1000;
};

// Runs one cell without turns until the halves of what came last agree within 1 %, or the time is
// up. The device should have rested before: who has just been busy has no burst left. Each sample
// must be one call, as the device's mode has it; a replay of many is past the burst at once.
Result<std::optional<BurstAndSustained>> measure_sustained(Sampler& sampler, TimeMode mode,
                                                           const SustainedOptions& options = {});

}  // namespace strobe::bench
