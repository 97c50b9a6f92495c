#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/bench/results/cell_record.h"

// Compares two runs, cell by cell.
namespace strobe::bench {

enum class CellVerdict : std::uint8_t { kSame, kFaster, kSlower, kUnclear, kNotComparable };
std::string_view verdict_name(CellVerdict verdict);  // "same", "not_comparable"

// The source of the interval of a ratio.
enum class RatioSource : std::uint8_t {
  kNone,
  kSamples,    // bootstrapped
  kIntervals,  // a side has no samples: from the intervals of the two medians
};
std::string_view source_name(RatioSource source);  // "samples", "intervals"

struct CellDiff {
  Cell cell;
  CellVerdict verdict = CellVerdict::kUnclear;
  TimeMode mode = TimeMode::kDevice;
  double before_us = 0;
  double after_us = 0;
  double ratio = 1;  // after / before: above 1 is slower
  std::array<double, 2> ratio_ci95 = {1, 1};
  RatioSource source = RatioSource::kNone;
  double band = 0.01;  // changes within it count as "same"
  double q = 1;        // false discovery rate of a change beyond the band, among all cells
  std::string reason;  // why it is unclear or not comparable
  std::string advice;  // and what to do

  // It had a time before, and now has none or a wrong result.
  bool is_broken = false;
};

struct RunDiff {
  std::vector<CellDiff> cells;  // in the order of the second run
  std::size_t only_before = 0;
  std::size_t only_after = 0;
  double band = 0.01;
  double resolution_us = 0;           // of device times; it widens the band
  std::vector<std::string> warnings;  // other device, other driver

  std::size_t count(CellVerdict verdict) const;
  std::size_t broken() const;
  std::size_t compared() const;  // cells that have a ratio
  double mean_ratio() const;     // geometric; 1 if there are none
};

struct RunDiffOptions {
  std::optional<TimeMode> mode;  // absent: per cell the first mode that both have, device first
  double band = 0.01;
  double resolution_us = 0;  // usual difference of two runs of one call on the device's clock
  int resamples = 2000;
  std::uint64_t seed = 1;
  bool is_forced = false;  // compare even if the methods differ
};
// Whether times taken with these methods can be compared; an error says why not.
Result<void> check_methods(const Method& before, const Method& after);
// Uses the larger of the given resolution and that of the runs. Fails if nothing can be compared:
// different cache states, no common cell.
Result<RunDiff> diff_runs(const BenchRun& before, const BenchRun& after,
                          const RunDiffOptions& options);

struct SpeedGate {  // "slower:3%", "slower", "faster:3%", "broken"
  CellVerdict verdict = CellVerdict::kSlower;
  double by = 0;
};
Result<SpeedGate> parse_speed_gate(std::string_view text);
// The cells that fail the gate: the whole interval, not only the estimate, is beyond it. The
// verdict counts too: a change within the band is "same", however low the gate.
std::vector<const CellDiff*> caught(const RunDiff& diff, const SpeedGate& gate);

}  // namespace strobe::bench
