#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "strobe/base/result.h"

// Decides when a cell has been measured enough.
namespace strobe::bench {

struct StopRule {
  enum class Kind : std::uint8_t { kMedianInterval, kSamples, kTime, kNoise, kEntropy };
  Kind kind = Kind::kMedianInterval;
  // The target: half-width of the 95 % interval / median, a count, milliseconds, deviation / mean,
  // or bits. If both medians are known this well, two runs of the same code agree within 1 %.
  double value = 0.003;
  // Good enough if the cap is reached first; beyond it a cell is noisy. A value given by the user
  // is used for both.
  double accepted = 0.005;
  // Both are required before precision is tested. Many short calls may reach `most_samples` first.
  std::size_t least_samples = 20;
  double least_ms = 20;
  // The first of these limits ends a cell that does not become precise.
  std::size_t most_samples = 2000;
  double most_ms = 1000;
};

// "median:0.5%", "median:0.3%/0.5%" (target, accepted at the cap), "samples:100", "time:200ms",
// "noise:1%", "entropy".
Result<StopRule> parse_stop_rule(std::string_view text);
std::string stop_rule_text(const StopRule& rule);

// Whether the time is known well enough, ignoring the minimum and maximum limits. Rules of a count
// or a time need one sample; the others need six, and a median above 0, which would be below the
// clock's resolution.
bool is_precise(std::span<const double> samples_us, const StopRule& rule);
// is_precise() and the minimum limits.
bool is_enough(std::span<const double> samples_us, const StopRule& rule);
// The rule for a cell that has reached its cap.
StopRule at_the_cap(const StopRule& rule);
// A maximum is reached, precise or not.
bool is_at_cap(std::size_t samples, double spent_ms, const StopRule& rule);

// How many bits 50 % more samples would add to the known entropy of their distribution: the slope
// of the line through the entropy of the first n samples, over the second half of all n.
double entropy_rise(std::span<const double> samples_us);

}  // namespace strobe::bench
