#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/compare/comparison.h"
#include "strobe/trace/run.h"

namespace strobe::compare {

// The cycles [begin, end) of a measured rank, without all others.
RankMeasure cycles_between(const RankMeasure& measure, std::size_t begin, std::size_t end);

// Compares the first half of a run's cycles with the second: did something change during the run?
Result<Comparison> compare_halves(const Run& run, const CompareOptions& options = {});

// Compares the ranks of one run with each other. Ranks that meet in collectives have equal cycles
// however unequal their work is, so a rank is judged by its own time.

struct RankRow {
  std::int32_t rank = 0;
  std::size_t cycles = 0;
  // Medians over the cycles.
  double cycle_ms = 0;
  double waiting_ms = 0;        // in collectives
  double own_ms = 0;            // the rest of the cycle
  double versus_best = 1;       // own time in multiples of the fastest rank's
  double distance = 0;          // of its own time from its peers', in robust deviations
  std::size_t cycles_late = 0;  // in which its own time exceeds that of its peers
  bool is_slow = false;
};

struct Stragglers {
  std::string label;
  std::vector<RankRow> ranks;
  std::optional<std::int32_t> slowest;  // only if one is slow
  // A typical rank as normal, the slowest as abnormal: what differs there, and why.
  std::optional<Comparison> against_peer;
  std::vector<std::string> quality;
};

Result<Stragglers> find_stragglers(const Run& run, const CompareOptions& options = {});

}  // namespace strobe::compare
