#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/bench/results/cell_record.h"
#include "strobe/bench/workers/call_counter.h"
#include "strobe/bench/workers/run_plan.h"
#include "strobe/bench/workers/worker_session.h"

// A whole run: one worker process per case, provider and bucket of shapes, and one per provider for
// external stacks. A crash, a hang or exhausted memory ends only its own cell.
namespace strobe::bench {

struct RunRequest {
  CellChoice cells;
  std::vector<std::string> providers;
  WorkerSetup workers;
  PrepareRequest prepare;  // for every cell; `cell` is filled in
  CellTiming timing;
  std::string command_line;              // for the record
  CallCounter* counter = nullptr;        // for cells; null: nothing is counted
  CallCounter* floor_counter = nullptr;  // for the floors: kDurationCounter

  // No queue is held, only the cells run, in as few processes as possible.
  void run_under_profiler() {
    timing.is_profiled = workers.live_long = true;
    prepare.hold = false;
  }
};

struct RunProgress {
  std::size_t done = 0;
  std::size_t total = 0;
  const CellRecord* last = nullptr;
  const BenchRun* so_far = nullptr;
};

struct BenchOutcome {
  BenchRun run;
  std::map<std::string, std::string> obstacles;  // providers that cannot run here: name to reason
  std::vector<std::string> remarks;              // messages for the user, once per run
  std::vector<std::string> log;                  // what workers printed besides their replies
  std::string counting_obstacle;  // why no cell has counters, although they were requested
  bool is_interrupted = false;    // the cells before it are complete
};

// Fails only if nothing can run at all (every provider unavailable: kMachineLacks).
Result<BenchOutcome> run_bench(const RunRequest& request,
                               const std::function<void(const RunProgress&)>& on_cell);

// Prepares every cell of a request without timing it, so that tuning results and code are stored in
// the cache folder. Fails as run_bench does.
Result<BenchOutcome> tune_cells(const RunRequest& request,
                                const std::function<void(const RunProgress&)>& on_cell);

}  // namespace strobe::bench
