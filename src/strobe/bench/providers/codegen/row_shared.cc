#include <algorithm>

#include "strobe/bench/providers/codegen/row_schedules.h"

namespace strobe::bench {
namespace {

constexpr int kMostStages = 4;

// Blocks that stay on their multiprocessor and load rows ahead while they reduce one.
void add_staged(std::vector<RowSchedule>& schedules, const KernelTask& task, RowSchedule schedule,
                const ChipFacts& chip) {
  schedule.stages = 1;
  const RowPlan plan = plan_of(task, schedule);
  const RowLayout one = layout_of(task, schedule, plan);
  if (!schedule.is_held_in_shared && one.registers * schedule.threads > 65536) return;
  if (!schedule.is_held_in_shared && one.registers > 128) return;
  for (int blocks = 1; blocks <= 4; ++blocks) {
    const std::int64_t room = std::min(chip.shared_per_block, chip.shared_per_sm / blocks - 1024) -
                              (one.shared_bytes - one.stage_bytes);
    const std::int64_t stages =
        std::min<std::int64_t>(room / std::max<std::int64_t>(one.stage_bytes, 1), kMostStages);
    if (stages < (schedule.is_held_in_shared && blocks == 1 ? 2 : 1)) continue;
    schedule.stages = static_cast<int>(stages);
    schedule.blocks_per_sm = blocks;
    if (blocks_that_fit(task, schedule, chip) < blocks) continue;
    if (static_cast<double>(one.stage_bytes * stages * blocks) < 0.5 * bytes_to_fly(chip)) continue;
    schedules.push_back(schedule);
  }
}

}  // namespace

std::vector<RowSchedule> row_shared_schedules(const KernelTask& task, const ChipFacts& chip) {
  std::vector<RowSchedule> schedules;
  const std::int64_t row_bytes = task.columns * task.value_bytes();
  if (row_bytes < 4096 || task.rows <= chip.sm_count) return schedules;
  RowSchedule schedule;
  schedule.name = "row_shared";
  schedule.packet_bytes = packet_bytes_for(task.columns, task.dtype);
  if (schedule.packet_bytes < 4) return schedules;
  const bool has_bulk = chip.compute_capability >= 90 && schedule.packet_bytes == 16;
  schedule.order = RowOrder::kStaying;
  for (const RowLoad load : {RowLoad::kBulk, RowLoad::kAsync}) {
    if (load == RowLoad::kBulk && !has_bulk) continue;
    schedule.load = load;
    for (const bool in_shared : {false, true}) {
      schedule.is_held_in_shared = in_shared;
      for (const int threads : {512, 1024, 256}) {
        if (in_shared && threads == 256) continue;
        if (row_bytes < std::int64_t{16} * threads) continue;
        schedule.threads = schedule.group = threads;
        add_staged(schedules, task, schedule, chip);
      }
    }
  }
  return schedules;
}

}  // namespace strobe::bench
