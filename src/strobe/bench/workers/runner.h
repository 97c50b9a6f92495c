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

// A whole run: one worker process per case, provider and bucket of shapes, of other people's stacks
// one per provider; a crash, a hang or an empty memory ends its cell and no other.
namespace strobe::bench {

struct RunRequest {
  CellChoice cells;
  std::vector<std::string> providers;
  WorkerSetup workers;
  PrepareRequest prepare;  // how, of every cell; which one is filled in
  CellTiming timing;
  std::string command_line;              // for the record
  CallCounter* counter = nullptr;        // of cells; null: nothing is counted
  CallCounter* floor_counter = nullptr;  // of the floors: kDurationCounter

  // No queue is held, nothing but the cells runs, in as few processes as can be.
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
  std::map<std::string, std::string> obstacles;  // of providers that cannot run here: name to why
  std::vector<std::string> remarks;              // what the user should know, once a run
  std::vector<std::string> log;                  // what workers said beside their answers
  std::string counting_obstacle;  // why no cell has counters, where they were asked for
  bool is_interrupted = false;    // the cells before it are whole
};

// Fails only where nothing can run at all (every provider unavailable: kMachineLacks).
Result<BenchOutcome> run_bench(const RunRequest& request,
                               const std::function<void(const RunProgress&)>& on_cell);

// Prepares every cell of a request and times none: what a provider finds out on the way stays in
// the cache folder. Fails as run_bench does.
Result<BenchOutcome> tune_cells(const RunRequest& request,
                                const std::function<void(const RunProgress&)>& on_cell);

}  // namespace strobe::bench
