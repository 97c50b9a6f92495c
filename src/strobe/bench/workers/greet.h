#pragma once

#include "strobe/bench/workers/protocol.h"
#include "strobe/bench/workers/runner.h"

namespace strobe::bench {

// The command that answers for a provider.
std::vector<std::string> worker_command(const RunRequest& request, const std::string& provider);

// What a provider says of itself, from a worker that is gone afterwards; its obstacle where it says
// nothing. With `is_about_device` also its floors and roofs, which take seconds.
WorkerReply greet(const RunRequest& request, const std::string& provider,
                  bool is_about_device = false);

}  // namespace strobe::bench
