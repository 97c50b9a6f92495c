#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "strobe/fleet/job.h"
#include "strobe/stats/dice.h"
#include "tests/support/jobs/job_generator.h"

// Runs a generated job: work, arrivals, waits and transfers of each rank.
namespace strobe::fleet {

using Positions = std::vector<std::size_t>;

inline double between(stats::Dice& dice, double low, double high) {
  return low + (high - low) * dice.share();
}

inline double log_between(stats::Dice& dice, double low, double high) {
  return std::exp(between(dice, std::log(low), std::log(high)));
}

inline bool happens(stats::Dice& dice, double chance) { return dice.share() < chance; }

inline std::int64_t whole(double value) { return std::llround(value); }

enum class Groups : std::uint8_t { kAll, kHosts, kStages };

struct Layout {
  std::size_t hosts = 1;
  std::size_t ranks_per_host = 1;
  std::size_t stages = 1;
  bool are_stages_strided = false;
  Groups groups = Groups::kAll;
  bool on_host = false;
  std::size_t steps = 5;

  std::size_t ranks() const { return hosts * ranks_per_host; }
  std::size_t host_of(std::size_t rank) const { return rank / ranks_per_host; }
  std::size_t stage_of(std::size_t rank) const {
    return are_stages_strided ? rank % stages : rank / (ranks() / stages);
  }
};

// What the job is like where nobody is slow.
struct Usual {
  double step_ns = 0;  // of own work
  double compute = 0;  // shares
  double copy = 0;
  double input = 0;
  double in_operators = 0;  // of the host's share
  double transfer = 0;
  double kernels = 0;
  double gaps = 0;
  std::size_t collectives = 0;
  double common_noise = 0;  // of the step, for all ranks
  double slow_noise = 0;    // of a rank, from step to step
  double fast_noise = 0;
  double tail_chance = 0;
  double tail = 0;
  std::vector<double> fixed;       // per rank
  std::vector<double> stage_work;  // per stage
  std::vector<double> stage_kernels;
  std::vector<double> clock_ns;  // per host, its error
};

inline Positions ranks_where(const Layout& layout, auto is_one) {
  Positions ranks;
  for (std::size_t rank = 0; rank < layout.ranks(); ++rank) {
    if (is_one(rank)) ranks.push_back(rank);
  }
  return ranks;
}

Job played(stats::Dice& dice, const Layout& layout, const Usual& usual,
           const std::optional<PlantedStraggler>& planted);

}  // namespace strobe::fleet
