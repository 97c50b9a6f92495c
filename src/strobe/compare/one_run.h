#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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
// however unequal their work is, so a rank is judged by its own time, and by its time in
// collectives: the rank that waits least is the one that is waited for.

struct RankRow {
  std::int32_t rank = 0;
  std::size_t cycles = 0;
  // Medians over the cycles.
  double cycle_ms = 0;
  double waiting_ms = 0;        // in collectives
  double own_ms = 0;            // the rest of the cycle
  double peers_ms = 0;          // the median of the other ranks' own times
  double peers_waiting_ms = 0;  // likewise, of their times in collectives
  // The others wait for the rank that is in collectives for the shortest time.
  std::size_t cycles_least = 0;  // in which it is the one
  double versus_best = 1;        // own time in multiples of the fastest rank's
  double distance = 0;           // of its own time from its peers', in robust deviations
  std::size_t cycles_late = 0;   // in which its own time exceeds that of its peers
  // False if other ranks have collectives and this one has not: its own time cannot be told then.
  bool is_comparable = true;
  bool is_slow = false;
  bool too_few = false;  // it has too few cycles to be called slow, or not
  // A rank that comes last to collectives keeps the others waiting. A cycle has many collectives,
  // so this can be told from a single one.
  std::uint64_t collectives = 0;  // in which it took part, as far as they could be matched
  std::uint64_t times_last = 0;   // in which it came last, by more than the others differ
  double others_waited_ms = 0;    // in those, together
  double longest_wait_ms = 0;     // the most in one of them
  double longest_wait_at_ms = 0;  // since the start of its trace
  bool is_late = false;           // clearly more often than chance
};

// With fewer cycles an accident cannot be told from a slow rank.
inline constexpr std::size_t kLeastCyclesOfARank = 3;

// What the ranks of a run are: one is slow or late, none is, or it cannot be told.
enum class RankAnswer : std::uint8_t { kSlowRank, kNoSlowRank, kCannotTell };
std::string_view word_of(RankAnswer answer);  // "slow_rank", "no_slow_rank", "cannot_tell"

struct Stragglers {
  std::string label;
  std::string path;  // of the first rank's trace
  std::vector<RankRow> ranks;
  std::optional<std::int32_t> slowest;  // of the slow ones, if any is
  std::uint64_t collectives = 0;        // that could be matched over the ranks
  // So the rank that is in a collective for the shortest time counts as the last one.
  bool clocks_differ = false;
  std::vector<std::size_t> late;  // of ranks, worst first
  // A typical rank as normal, the slowest as abnormal: what differs there, and why.
  std::optional<Comparison> against_peer;
  std::vector<std::string> quality;

  bool has_too_few_cycles() const;  // on any rank: own times cannot be judged
  RankAnswer answer() const;
};

Result<Stragglers> find_stragglers(const Run& run, const CompareOptions& options = {});

}  // namespace strobe::compare
