#include <algorithm>
#include <cmath>
#include <utility>

#include "strobe/bench/providers/codegen/row_schedules.h"

namespace strobe::bench {
namespace {

constexpr int kMostHeld = 64;  // values of a thread in registers

// Between 0 and 1: how much of the bus it may fill, less what idle lanes and barriers cost.
double promise_of(const KernelTask& task, const RowSchedule& schedule, const ChipFacts& chip) {
  const RowLayout layout = layout_of(task, schedule, plan_of(task, schedule));
  const auto inputs = static_cast<double>(task.element_inputs());
  const double flying = double{1} * schedule.blocks_per_sm * schedule.threads * layout.per_thread *
                        schedule.packet_bytes * inputs;
  const double lanes = static_cast<double>(layout.packets) / (schedule.group * layout.per_thread);
  const double warps = std::log2(static_cast<double>(schedule.warps_of_row()));
  const double blocks = std::ceil(static_cast<double>(task.rows) / schedule.rows_per_block());
  const double filled = std::min(1.0, blocks / chip.sm_count);
  const double serial = 1.0 / (1.0 + 0.02 * layout.per_thread);
  return std::min(1.0, flying / (2 * bytes_to_fly(chip))) * lanes * (1 - 0.02 * warps) *
         (0.5 + 0.5 * filled) * serial;
}

}  // namespace

std::vector<RowSchedule> row_register_schedules(const KernelTask& task, const ChipFacts& chip) {
  std::vector<std::pair<double, RowSchedule>> found;
  RowSchedule schedule;
  schedule.name = "row_registers";
  schedule.packet_bytes = packet_bytes_for(task.columns, task.dtype);
  for (schedule.group = 4; schedule.group <= 1024; schedule.group *= 2) {
    for (const int threads : {128, 256, 512, 1024}) {
      if (threads < schedule.group || (threads > 256 && threads != schedule.group)) continue;
      schedule.threads = threads;
      schedule.blocks_per_sm = 1;
      const RowPlan plan = plan_of(task, schedule);
      const RowLayout layout = layout_of(task, schedule, plan);
      const int held = layout.per_thread * layout.values * plan.slots;
      const std::int64_t idle = schedule.group * std::int64_t{layout.per_thread} - layout.packets;
      if (held > kMostHeld || 2 * idle > layout.packets + schedule.group) continue;
      if (idle >= schedule.group && schedule.group > 4) continue;
      schedule.blocks_per_sm = blocks_that_fit(task, schedule, chip);
      if (schedule.blocks_per_sm == 0) continue;
      found.emplace_back(promise_of(task, schedule, chip), schedule);
    }
  }
  std::ranges::stable_sort(found, std::greater<>(), &std::pair<double, RowSchedule>::first);
  std::vector<RowSchedule> schedules;
  for (const auto& [promise, one] : found) schedules.push_back(one);
  return schedules;
}

}  // namespace strobe::bench
