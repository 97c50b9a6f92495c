#include <algorithm>
#include <utility>

#include "strobe/bench/providers/codegen/row_schedules.h"

namespace strobe::bench {
namespace {

constexpr int kMostHeld = 64;  // values of a thread in registers

// Lower is likelier. Two packets a thread by as many threads as that takes did best on an H200,
// more where the block is full; idle lanes cost what they are worth, and so do idle
// multiprocessors.
double unlikeliness(const KernelTask& task, const RowSchedule& schedule, const RowLayout& layout,
                    const ChipFacts& chip) {
  constexpr double kByPackets[] = {9, 0.5, 0, 0.7, 0.3, 0.8, 0.8, 0.8, 0.6};
  const double packets =
      layout.per_thread <= 8 ? kByPackets[layout.per_thread] : 0.5 + 0.1 * layout.per_thread;
  const double lanes =
      static_cast<double>(layout.packets) / (double{1} * schedule.group * layout.per_thread);
  const double blocks = static_cast<double>(task.rows) / schedule.rows_per_block();
  const double idle = std::max(0.0, 1 - blocks / chip.sm_count);
  const double several = schedule.group > 32 && schedule.rows_per_block() > 1 ? 1.2 : 0;
  const double small = schedule.group <= 32 && schedule.threads > 128 ? 0.1 : 0;
  return packets + 4 * (1 - lanes) + several + small + idle;
}

}  // namespace

std::vector<RowSchedule> row_register_schedules(const KernelTask& task, const ChipFacts& chip) {
  std::vector<std::pair<double, RowSchedule>> found;
  RowSchedule schedule;
  schedule.name = "row_registers";
  schedule.packet_bytes = packet_bytes_for(task.columns, task.dtype);
  for (schedule.group = 4; schedule.group <= 1024; schedule.group *= 2) {
    for (const int threads : {32, 64, 128, 256, 512, 1024}) {
      if (threads < schedule.group || (threads > 256 && threads != schedule.group)) continue;
      schedule.threads = threads;
      const RowPlan plan = plan_of(task, schedule);
      const RowLayout layout = layout_of(task, schedule, plan);
      const int held = layout.per_thread * layout.values * plan.slots;
      if (held > kMostHeld ||
          (layout.always == 0 && schedule.group > 4 && layout.packets * 2 <= schedule.group)) {
        continue;
      }
      schedule.blocks_per_sm = blocks_that_fit(task, schedule, chip);
      if (schedule.blocks_per_sm == 0) continue;
      found.emplace_back(unlikeliness(task, schedule, layout, chip), schedule);
    }
  }
  std::ranges::stable_sort(found, std::less<>(), &std::pair<double, RowSchedule>::first);
  std::vector<RowSchedule> schedules;
  for (const auto& [unlikely, one] : found) schedules.push_back(one);
  return schedules;
}

}  // namespace strobe::bench
