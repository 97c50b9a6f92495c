#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/cli/loading.h"
#include "strobe/cli/terminal.h"
#include "strobe/fleet/digest/rank_digest.h"
#include "strobe/fleet/world/world.h"

namespace strobe::cli {

// What is left of a job's traces: small, whatever their number.
struct JobDigests {
  std::vector<fleet::RankDigest> digests;  // by rank
  std::vector<Error> unreadable;           // files, in their order
};

// Reads every trace of a run once, the processes of `world` and their threads a part each, and
// keeps each digest in the cache. Only the first process gets them. An unreadable file stops
// nothing.
Result<JobDigests> read_job(const std::string& path, fleet::World& world, const LoadChoice& load,
                            const Terminal& terminal);

}  // namespace strobe::cli
