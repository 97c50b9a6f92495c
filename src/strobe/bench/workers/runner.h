#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/bench/measure/measure.h"
#include "strobe/bench/results/cell_record.h"
#include "strobe/bench/workers/call_counter.h"

// A whole run: one worker process per case, provider and bucket of shapes, of other people's stacks
// one per provider; a crash, a hang or an empty memory ends its cell and no other.
namespace strobe::bench {

struct RunRequest {
  std::vector<std::string> cases;
  std::vector<std::string> providers;
  std::vector<Shape> shapes;    // asked for by hand; empty: the grid
  std::string grid;             // empty: the usual one of each case
  std::vector<DType> dtypes;    // empty: the usual one of each case
  std::vector<TimeMode> modes;  // empty: what each provider can
  MeasureOptions measure;
  std::string flush = "cold";
  std::string cache_folder;
  bool may_tune = true;
  // Under a profiler: no queue is held, nothing but the cells runs, in as few processes as can be.
  bool is_profiled = false;
  bool lists_api = false;  // after timing, the API calls of one more call of each cell
  std::uint64_t seed = 1;
  int repeat_check = 0;
  std::int64_t most_elements = 0;                  // shapes beyond are left out; 0: none
  std::chrono::milliseconds cell_limit{60'000};    // for each answer of a worker
  std::chrono::milliseconds start_limit{120'000};  // for its first: some stacks load for long
  // Name to command: "torch-inductor" to {"python3", "worker.py"}; strobe's own are found by
  // themselves.
  std::map<std::string, std::vector<std::string>> workers;
  std::vector<std::string> own_worker;   // this binary: {"/usr/bin/strobe", "bench", "worker"}
  std::string command_line;              // for the record
  CallCounter* counter = nullptr;        // of cells; nobody counts
  CallCounter* floor_counter = nullptr;  // of the floors: kDurationCounter
  const std::atomic<bool>* cancelled = nullptr;
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

// The other side: answers requests on stdin until bye or end of file.
int serve_requests(Provider& provider, int in, int out);

}  // namespace strobe::bench
