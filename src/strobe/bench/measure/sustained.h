#pragma once

#include <optional>
#include <span>

#include "strobe/bench/measure/sampler.h"

// How fast a long call is at first, and how fast it stays: a device that meets its power limit
// lowers its clock after some milliseconds of full load.
namespace strobe::bench {

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
