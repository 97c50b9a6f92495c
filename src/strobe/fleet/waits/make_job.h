#pragma once

#include <span>
#include <vector>

#include "strobe/fleet/digest/rank_digest.h"
#include "strobe/fleet/job.h"

namespace strobe::fleet {

struct JobOptions {
  bool align = true;            // else the clocks are those of the files
  bool with_exchanges = false;  // Job::exchanges and Job::arrivals
};

// The job that these ranks ran, at least one. The order of the digests does not matter.
Job make_job(std::span<const RankDigest> digests, const JobOptions& options = {});

// By rank. Of one rank, by file.
std::vector<const RankDigest*> by_rank(std::span<const RankDigest> digests);

}  // namespace strobe::fleet
