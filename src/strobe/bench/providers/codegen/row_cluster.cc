#include <algorithm>
#include <utility>

#include "strobe/bench/providers/codegen/row_schedules.h"

namespace strobe::bench {
namespace {

constexpr int kMostHeld = 64;  // values of a thread in registers

// A cluster's row ahead of the one that is reduced; a block takes several rows and ends, so that
// nothing depends on how many clusters the chip can place.
void add_staged(std::vector<RowSchedule>& schedules, const KernelTask& task, RowSchedule schedule,
                const ChipFacts& chip) {
  schedule.load = RowLoad::kBulk;
  schedule.order = RowOrder::kChunk;
  schedule.chunk = 16;
  for (schedule.stages = 2; schedule.stages >= 1; --schedule.stages) {
    schedule.blocks_per_sm = std::min(blocks_that_fit(task, schedule, chip), 1);
    if (schedule.blocks_per_sm == 0) continue;
    schedules.push_back(schedule);
    return;
  }
}

}  // namespace

std::vector<RowSchedule> row_cluster_schedules(const KernelTask& task, const ChipFacts& chip) {
  std::vector<RowSchedule> schedules;
  const std::int64_t row_bytes = task.columns * task.value_bytes();
  if (!chip.has_clusters() || row_bytes < 32768) return schedules;
  RowSchedule schedule;
  schedule.name = "row_cluster";
  schedule.packet_bytes = packet_bytes_for(task.columns, task.dtype);
  // Few blocks with much in each did best on an H200: every further block is one more to wait for.
  for (const auto& [cluster, threads] :
       {std::pair(2, 512), std::pair(2, 1024), std::pair(4, 256), std::pair(4, 512),
        std::pair(4, 1024), std::pair(8, 256), std::pair(8, 512), std::pair(8, 1024)}) {
    schedule.cluster = cluster;
    schedule.threads = schedule.group = threads;
    const RowPlan plan = plan_of(task, schedule);
    const RowLayout layout = layout_of(task, schedule, plan);
    const int held = layout.per_thread * layout.values * plan.slots;
    if (layout.slice < threads || layout.least_slice <= 0 || held > kMostHeld) continue;
    schedule.blocks_per_sm = blocks_that_fit(task, schedule, chip);
    if (schedule.blocks_per_sm == 0) continue;
    schedules.push_back(schedule);
  }
  const bool has_many_rows = task.rows * 2 > 16 * std::int64_t{chip.sm_count};
  if (!schedules.empty() && has_many_rows && schedule.packet_bytes == 16) {
    add_staged(schedules, task, RowSchedule(schedules.front()), chip);
  }
  return schedules;
}

}  // namespace strobe::bench
