#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/fleet/job.h"

// Who holds a job up, why, and what it costs. A rank is slow if its own work takes longer than that
// of its peers in the same steps, beyond what chance and small fixed differences between ranks
// explain, and if the others lose time by it. Peers are the ranks of the same pipeline stage.
namespace strobe::fleet {

enum class StragglerKind : std::uint8_t {
  kRank,       // always the same one
  kHost,       // all ranks of a host
  kStage,      // all ranks of a pipeline stage
  kWandering,  // another rank in each step
  kBadStep,    // one or many ranks stand still in a single step
  kNetwork     // transfers are slow while no rank is late
};
std::string_view word_of(StragglerKind kind);  // "one rank"

enum class StragglerReason : std::uint8_t {
  kUnknown,
  kLongerKernels,   // more compute time for the same number of kernels
  kMoreWork,        // more kernels
  kHostStretch,     // between operators, one long stretch in a step: it sleeps or collects garbage
  kHostContention,  // between operators, many stretches
  kHostOperators,   // operators take longer on the host
  kInput,
  kCopies,
  kTransfers
};
std::string_view word_of(StragglerReason reason);  // "host, between operators: one long stretch"

// By how much more of each a straggler has in a step than its peers; below zero: less.
struct ExtraWork {
  double compute_ns = 0;
  double copy_ns = 0;
  double input_ns = 0;
  double host_ns = 0;
  double in_operators_ns = 0;      // of host_ns
  double longest_host_gap_ns = 0;  // of host_ns
  double host_gaps = 0;
  double transfer_ns = 0;
  double kernels_ratio = 1;  // to those of the peers
  double own_ratio = 1;      // of the whole own work
};

struct Straggler {
  StragglerKind kind = StragglerKind::kRank;
  StragglerReason reason = StragglerReason::kUnknown;
  // Positions in Job::ranks. The slow ones; of a wandering straggler those that were late, the most
  // frequent first; of a slow network those whose transfers are slow, if not all.
  std::vector<std::size_t> ranks;
  std::string host;  // if all those ranks are on it, and more than one host is known
  std::optional<std::int32_t> stage;  // if all those ranks belong to it, and there are more
  std::string group;                  // of slow transfers, if it is one

  // Positions in Job::steps: [first_step, end_step) is where it is slow.
  std::size_t first_step = 0;
  std::size_t end_step = 0;
  std::size_t steps = 0;          // compared in there
  std::size_t late_steps = 0;     // of those, in which it was late
  std::uint64_t collectives = 0;  // in those steps, summed over its ranks
  std::uint64_t last = 0;         // in which one of its ranks came last

  double later_ns = 0;     // than the typical peer, in a typical step of those
  double peers_ns = 0;     // what the peer needs
  double p = 1;            // that chance does as much somewhere in the job
  std::size_t tested = 0;  // ranks, hosts, stages or steps, for which p is corrected
  // What the others waited for it, of the time of all ranks in all steps; 95 % over the steps.
  double lost_share = 0;
  std::array<double, 2> lost_interval = {0, 0};
  ExtraWork extra;
};

// With fewer steps, a slow rank cannot be told from one that was slow once.
inline constexpr std::size_t kLeastStepsOfAJob = 3;

// The costliest first. With fewer steps than the above, only a rank that came last to nearly all
// collectives of a step is named, as a bad step.
std::vector<Straggler> find_stragglers(const Job& job);

}  // namespace strobe::fleet
