#pragma once

#include "strobe/bench/workers/cell_check.h"
#include "strobe/bench/workers/run_plan.h"
#include "strobe/bench/workers/worker_session.h"

namespace strobe::bench {

// A cell by a worker that knows "cell" and no more: everything in one request, the values of each
// further output, or of other inputs, in one more. `usual_mhz` is the run's clock; 0: not known.
void run_whole_cell(WorkerSession& session, const PrepareRequest& prepare, const CellTiming& timing,
                    CellReference& reference, const RowFolder& folder, double usual_mhz,
                    CellRecord& record);

}  // namespace strobe::bench
