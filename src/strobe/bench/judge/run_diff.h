#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/bench/results/cell_record.h"

// Two runs, cell by cell.
namespace strobe::bench {

enum class CellVerdict : std::uint8_t { kSame, kFaster, kSlower, kUnclear, kNotComparable };
std::string_view verdict_name(CellVerdict verdict);  // "same", "not_comparable"

// What the interval of a ratio was made from.
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
  double band = 0.01;  // within which it is the same
  double q = 1;        // of a change beyond the band, among all cells of this comparison
  std::string reason;  // unclear, not comparable: why
  std::string advice;  // and what to do

  // Had a time before and has none, or a wrong result, now.
  bool is_broken = false;
};

struct RunDiff {
  std::vector<CellDiff> cells;  // in the order of the second run
  std::size_t only_before = 0;
  std::size_t only_after = 0;
  double band = 0.01;
  double resolution_us = 0;           // of device times: by so much the band is wider
  std::vector<std::string> warnings;  // other device, other driver

  std::size_t count(CellVerdict verdict) const;
  std::size_t broken() const;
  std::size_t compared() const;  // cells that have a ratio
  double mean_ratio() const;     // geometric, of those; 1 of none
};

struct RunDiffOptions {
  std::optional<TimeMode> mode;  // absent: of each cell the first that both have, device before all
  double band = 0.01;
  double resolution_us = 0;  // two runs of one call lie so far apart on the device's clock
  int resamples = 2000;
  std::uint64_t seed = 1;
  bool is_forced = false;  // compare different methods
};
// Whether times taken in these ways say anything of each other; an error says why not.
Result<void> check_methods(const Method& before, const Method& after);
// The resolution is what the runs say of theirs, if that is more. An error where nothing can be
// compared: other caches than before, no cell in common.
Result<RunDiff> diff_runs(const BenchRun& before, const BenchRun& after,
                          const RunDiffOptions& options);

struct SpeedGate {  // "slower:3%", "slower", "faster:3%", "broken"
  CellVerdict verdict = CellVerdict::kSlower;
  double by = 0.03;
};
Result<SpeedGate> parse_speed_gate(std::string_view text);
// The cells that it catches: the interval, not the estimate, lies beyond it. A verdict needs the
// band as well: what is within it is the same, however low the gate.
std::vector<const CellDiff*> caught(const RunDiff& diff, const SpeedGate& gate);

}  // namespace strobe::bench
