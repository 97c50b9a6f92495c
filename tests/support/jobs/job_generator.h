#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "strobe/fleet/job.h"
#include "strobe/fleet/stragglers/stragglers.h"

// Jobs whose straggler is known: 4 to 512 ranks on 1 to 64 hosts, 5 to 60 steps, on devices or on
// hosts alone, data-parallel, with groups inside hosts, or with a pipeline. Steps vary together and
// each rank by itself, from step to step and slowly; some stretches are long; ranks differ by a
// little for good, rank 0 does a little more, stages are uneven, and the hosts' clocks are wrong by
// microseconds.
namespace strobe::fleet {

struct PlantedStraggler {
  StragglerKind kind = StragglerKind::kRank;
  StragglerReason reason = StragglerReason::kUnknown;
  std::vector<std::size_t> ranks;  // of one rank, host or stage; who stands still in a bad step
  std::string group;               // of a slow network
  std::size_t first_step = 0;
  std::size_t end_step = 0;
  double size = 0;  // of its usual work in a step, or of a step for the network
};

struct GeneratedJob {
  Job job;
  std::optional<PlantedStraggler> planted;
};

// The same seed makes the same job, everywhere.
GeneratedJob clean_job(std::uint64_t seed);
GeneratedJob job_with(StragglerKind kind, std::uint64_t seed);

}  // namespace strobe::fleet
