#pragma once

#include <memory>
#include <span>
#include <vector>

#include "strobe/bench/workers/cell_check.h"
#include "strobe/bench/workers/run_plan.h"
#include "strobe/bench/workers/worker_session.h"

namespace strobe::bench {

// What earlier cells of a run have measured.
struct RunState {
  Floors floors = {};
  std::vector<double> clocks_mhz = {};  // one per measurement that could read it
  double usual_mhz() const;             // 0: not known yet
};

// Runs all providers at one case, shape and type: planned, prepared, measured in turns, checked,
// compared. One record each, in the order of the sessions.
std::vector<CellRecord> run_group(const CellGroup& group, const PrepareRequest& prepare,
                                  const CellTiming& timing, Sessions sessions,
                                  const RowFolder& folder, RunState& state);

// Sets the flags that follow from a record's own times.
void flag_times(CellRecord& record, const Floors& floors);

}  // namespace strobe::bench
