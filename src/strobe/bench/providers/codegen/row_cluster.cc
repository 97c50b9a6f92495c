#include <algorithm>

#include "strobe/bench/providers/codegen/row_schedules.h"

namespace strobe::bench {
namespace {

constexpr int kMostHeld = 64;  // values of a thread in registers
constexpr int kMostStages = 4;
constexpr int kChunk = 16;  // rows of a block that does not stay

void add_direct(std::vector<RowSchedule>& schedules, const KernelTask& task, RowSchedule schedule,
                const ChipFacts& chip) {
  schedule.blocks_per_sm = blocks_that_fit(task, schedule, chip);
  if (schedule.blocks_per_sm > 0) schedules.push_back(schedule);
}

void add_staged(std::vector<RowSchedule>& schedules, const KernelTask& task, RowSchedule schedule,
                const ChipFacts& chip) {
  schedule.load = RowLoad::kBulk;
  schedule.stages = 1;
  const RowLayout one = layout_of(task, schedule, plan_of(task, schedule));
  for (const int blocks : {2, 1}) {
    const std::int64_t room = std::min(chip.shared_per_block, chip.shared_per_sm / blocks - 1024) -
                              (one.shared_bytes - one.stage_bytes);
    const std::int64_t stages = std::min<std::int64_t>(room / one.stage_bytes, kMostStages);
    if (stages < 1) continue;
    schedule.stages = static_cast<int>(stages);
    schedule.blocks_per_sm = blocks;
    if (blocks_that_fit(task, schedule, chip) < blocks) continue;
    for (const RowOrder order : {RowOrder::kChunk, RowOrder::kStaying}) {
      schedule.order = order;
      schedule.chunk = kChunk;
      schedules.push_back(schedule);
    }
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
  for (const int cluster : {4, 2, 8}) {
    for (const int threads : {512, 1024, 256}) {
      schedule.cluster = cluster;
      schedule.threads = schedule.group = threads;
      const RowPlan plan = plan_of(task, schedule);
      const RowLayout layout = layout_of(task, schedule, plan);
      const int held = layout.per_thread * layout.values * plan.slots;
      if (layout.slice < threads || layout.least_slice <= 0) continue;
      if (held > kMostHeld || layout.registers * threads > 65536) continue;
      const bool has_many = task.rows * cluster > 4 * chip.sm_count;
      if (has_many && schedule.packet_bytes == 16) add_staged(schedules, task, schedule, chip);
      add_direct(schedules, task, schedule, chip);
    }
  }
  return schedules;
}

}  // namespace strobe::bench
