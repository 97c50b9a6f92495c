#include <algorithm>
#include <utility>

#include "strobe/bench/providers/codegen/row_schedules.h"

namespace strobe::bench {
namespace {

constexpr int kMostHeld = 64;  // values of a thread in registers

// Operands of one value a column cost a long row twice its own bytes out of L2; a block that takes
// several rows reads them once. Blocks that stay to the end are fastest where the chip can place
// most of them at once; if not, blocks that end after some rows.
void add_looping(std::vector<RowSchedule>& schedules, const KernelTask& task, RowSchedule schedule,
                 const ChipFacts& chip) {
  schedule.columns = ColumnPlace::kShared;
  schedule.loads_ahead = true;
  schedule.cluster = 8;
  schedule.threads = schedule.group = 256;
  const RowLayout layout = layout_of(task, schedule, plan_of(task, schedule));
  if (layout.slice < schedule.threads || layout.least_slice <= 0) return;
  schedule.blocks_per_sm = std::min(blocks_that_fit(task, schedule, chip), 2);
  if (schedule.blocks_per_sm == 0) return;
  std::vector<RowSchedule> looping(3, schedule);
  looping[0].order = RowOrder::kStaying;
  looping[1].order = looping[2].order = RowOrder::kChunk;
  looping[1].chunk = 32;
  looping[2].chunk = 16;
  schedules.insert(schedules.begin(), looping.begin(), looping.end());
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
  const bool has_many_rows = task.rows > 16 * std::int64_t{chip.sm_count};
  const bool has_columns = !plan_of(task, schedule).column_inputs.empty();
  if (!schedules.empty() && has_many_rows && has_columns) {
    add_looping(schedules, task, schedules.front(), chip);
  }
  return schedules;
}

}  // namespace strobe::bench
