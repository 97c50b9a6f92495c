#pragma once

#include <functional>

#include "strobe/bench/workers/runner.h"

namespace strobe::bench {

// Prepares every cell of a request and times none: what a provider finds out on the way stays in
// the cache folder. Fails as run_bench does.
Result<BenchOutcome> tune_cells(const RunRequest& request,
                                const std::function<void(const RunProgress&)>& on_cell);

}  // namespace strobe::bench
