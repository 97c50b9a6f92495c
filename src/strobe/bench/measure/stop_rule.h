#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "strobe/base/result.h"

// When a cell has been measured enough.
namespace strobe::bench {

struct StopRule {
  enum class Kind : std::uint8_t { kMedianInterval, kSamples, kTime, kNoise, kEntropy };
  Kind kind = Kind::kMedianInterval;
  // What is aimed at: half-width of the 95 % interval / median, a count, milliseconds, deviation /
  // mean, or bits. Two runs of the same code agree within 1 % when both know their medians this
  // well.
  double value = 0.003;
  // What is still good enough where the cap comes first; beyond it a cell is noisy. Who names a
  // value gets it as both.
  double accepted = 0.005;
  // Both are asked for before precision is. Many short calls may meet `most_samples` first.
  std::size_t least_samples = 20;
  double least_ms = 20;
  // Whatever comes first ends a cell that does not become precise.
  std::size_t most_samples = 2000;
  double most_ms = 1000;
};

// "median:0.5%", "median:0.3%/0.5%" (aimed at, accepted at the cap), "samples:100", "time:200ms",
// "noise:1%", "entropy".
Result<StopRule> parse_stop_rule(std::string_view text);
std::string stop_rule_text(const StopRule& rule);

// The rule's own question, whatever the least and the most: is the time known well enough? Never
// with fewer than six samples or a median of 0, which no clock has resolved.
bool is_precise(std::span<const double> samples_us, const StopRule& rule);
// With everything the rule asks for.
bool is_enough(std::span<const double> samples_us, const StopRule& rule);
// The same rule for a cell that had all its time.
StopRule at_the_cap(const StopRule& rule);
// No more, precise or not.
bool is_at_cap(std::size_t samples, double spent_ms, const StopRule& rule);

// How many bits another half as many samples would add to what is known of their distribution: the
// rise of the line through the entropy of the first n samples, over the second half of all n.
double entropy_rise(std::span<const double> samples_us);

}  // namespace strobe::bench
