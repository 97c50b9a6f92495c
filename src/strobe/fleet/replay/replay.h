#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/fleet/replay/operation_table.h"

// What a pipeline job would gain without its stragglers: its operations are replayed with other
// times, each as soon as what it waits for has ended.
namespace strobe::fleet {

// The job if only a part of it kept its recorded times and all else took ideal ones.
struct PartReplay {
  std::string name;             // "forward-compute", or the number of a rank or stage
  double slowdown = 0;          // of the mean step over the ideal one
  std::vector<double> by_step;  // the same; parallel to Replay::steps
};

// One data-parallel rank of one stage.
struct Worker {
  std::int32_t data_rank = 0;
  std::int32_t stage = 0;
  std::int32_t rank = 0;  // of the job
  double score = 0;       // the lower slowdown of its data-parallel rank and of its stage
};

// Some workers against all others; mean steps in seconds.
struct WorkersReplay {
  std::vector<Worker> workers;
  double repaired_s = 0;    // without delays, and with ideal times of these workers
  double only_they_s = 0;   // ideal, but with the recorded times of these workers
  double saved_share = 0;   // of what all stragglers cost: what repairing these saves
  double caused_share = 0;  // what these alone cost
};

struct ReplayedStep {
  std::int64_t step = 0;
  double recorded_s = 0;        // as recorded
  double without_delays_s = 0;  // every operation starts as soon as it can
  double ideal_s = 0;           // and takes as long as others of its kind
};

struct Replay {
  std::string name;  // of the job
  JobSizes sizes;
  std::size_t operations = 0;
  std::vector<ReplayedStep> steps;

  // Means over the steps.
  double recorded_s = 0;
  double without_delays_s = 0;
  double ideal_s = 0;

  std::vector<PartReplay> kinds;  // worst first, as are the next two
  std::vector<PartReplay> data_ranks;
  std::vector<PartReplay> stages;
  std::vector<Worker> workers;  // worst first
  WorkersReplay worst_workers;  // 3 % of them, at least one
  WorkersReplay last_stage;

  double delay_slowdown() const { return recorded_s / without_delays_s; }
  double straggler_slowdown() const { return without_delays_s / ideal_s; }
};

Result<Replay> replay(const OperationTable& table);

}  // namespace strobe::fleet
