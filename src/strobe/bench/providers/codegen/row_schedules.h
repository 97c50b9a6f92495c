#pragma once

#include <vector>

#include "strobe/bench/providers/codegen/row_kernel.h"

// Which of the many ways to hold a row are worth trying on a chip, the likeliest first. Pruned by
// what must be under way to fill the bus (latency times bandwidth), by registers and by shared
// memory.
namespace strobe::bench {

std::vector<RowSchedule> row_register_schedules(const KernelTask& task, const ChipFacts& chip);
std::vector<RowSchedule> row_shared_schedules(const KernelTask& task, const ChipFacts& chip);
std::vector<RowSchedule> row_cluster_schedules(const KernelTask& task, const ChipFacts& chip);

// What fits of `schedule` on a multiprocessor; 0: not even one block.
int blocks_that_fit(const KernelTask& task, const RowSchedule& schedule, const ChipFacts& chip);

}  // namespace strobe::bench
