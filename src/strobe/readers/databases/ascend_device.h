#pragma once

#include <cstdint>
#include <vector>

#include "strobe/readers/databases/ascend_tables.h"

namespace strobe::readers {

// Where an arrow of a database ends: the device work of one connection.
struct NpuLaunchEnd {
  std::int64_t connection;
  std::int64_t time_ns;
  TrackId track;
};

// Puts the tasks of the devices into the trace: what is computed, copied, waited for, and the
// collectives with their parts. Returns the work that a call may have launched, by connection.
//
// A kernel is a task that the table of computations knows: parents of collectives and of kernels on
// two cores have a kernel's type too.
Result<std::vector<NpuLaunchEnd>> add_npu_tasks(NpuTables& tables, NpuTexts& texts,
                                                TraceSink& sink);

}  // namespace strobe::readers
