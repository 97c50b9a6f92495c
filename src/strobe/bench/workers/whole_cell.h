#pragma once

#include "strobe/bench/workers/cell_check.h"
#include "strobe/bench/workers/run_plan.h"
#include "strobe/bench/workers/worker_session.h"

namespace strobe::bench {

// Runs a cell with a worker that supports only "cell": everything in one request, and one more
// request for each further output or for other inputs. `usual_mhz` is the run's clock; 0: unknown.
void run_whole_cell(WorkerSession& session, const PrepareRequest& prepare, const CellTiming& timing,
                    CellReference& reference, const RowFolder& folder, double usual_mhz,
                    CellRecord& record);

}  // namespace strobe::bench
