#include <algorithm>

#include "strobe/bench/providers/codegen/row_schedules.h"

namespace strobe::bench {
namespace {

constexpr int kMostStages = 3;

// The row lies in shared memory until it is done: for rows that registers cannot hold.
void add_held(std::vector<RowSchedule>& schedules, const KernelTask& task, RowSchedule schedule,
              const ChipFacts& chip) {
  schedule.is_held_in_shared = true;
  schedule.stages = 1;
  for (const int threads : {1024, 512}) {
    schedule.threads = schedule.group = threads;
    schedule.blocks_per_sm = blocks_that_fit(task, schedule, chip);
    if (schedule.blocks_per_sm == 0) continue;
    schedule.blocks_per_sm = std::min(schedule.blocks_per_sm, 2048 / threads);
    schedules.push_back(schedule);
  }
}

// A block that stays and loads rows ahead while it reduces one in registers.
void add_staying(std::vector<RowSchedule>& schedules, const KernelTask& task, RowSchedule schedule,
                 const ChipFacts& chip) {
  schedule.order = RowOrder::kStaying;
  schedule.threads = schedule.group = 512;
  schedule.stages = 1;
  const RowLayout one = layout_of(task, schedule, plan_of(task, schedule));
  if (one.registers > 96 || task.rows < 4 * chip.sm_count) return;
  for (int blocks = 2; blocks >= 1; --blocks) {
    const std::int64_t room = std::min(chip.shared_per_block, chip.shared_per_sm / blocks - 1024) -
                              (one.shared_bytes - one.stage_bytes);
    schedule.stages =
        static_cast<int>(std::min<std::int64_t>(room / one.stage_bytes, std::int64_t{kMostStages}));
    schedule.blocks_per_sm = blocks;
    if (schedule.stages < 1 || blocks_that_fit(task, schedule, chip) < blocks) continue;
    schedules.push_back(schedule);
    return;
  }
}

}  // namespace

std::vector<RowSchedule> row_shared_schedules(const KernelTask& task, const ChipFacts& chip) {
  std::vector<RowSchedule> schedules;
  const std::int64_t row_bytes = task.columns * task.value_bytes();
  RowSchedule schedule;
  schedule.name = "row_shared";
  schedule.packet_bytes = packet_bytes_for(task.columns, task.dtype);
  if (schedule.packet_bytes < 4 || row_bytes < 16 * 512) return schedules;
  const bool has_bulk = chip.compute_capability >= 90 && schedule.packet_bytes == 16;
  schedule.load = has_bulk ? RowLoad::kBulk : RowLoad::kAsync;
  if (has_bulk) add_staying(schedules, task, schedule, chip);
  if (row_bytes > 32768) add_held(schedules, task, schedule, chip);
  return schedules;
}

}  // namespace strobe::bench
