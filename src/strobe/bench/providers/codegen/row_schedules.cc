#include "strobe/bench/providers/codegen/row_schedules.h"

#include <algorithm>

namespace strobe::bench {
namespace {

constexpr int kRegistersOfSm = 65536;
constexpr int kThreadsOfSm = 2048;
constexpr int kSharedOfDriver = 1024;  // that every block costs beside its own

}  // namespace

int blocks_that_fit(const KernelTask& task, const RowSchedule& schedule, const ChipFacts& chip) {
  const RowLayout layout = layout_of(task, schedule, plan_of(task, schedule));
  if (layout.shared_bytes > chip.shared_per_block) return 0;
  const int registers = (layout.registers + 7) / 8 * 8;
  if (registers > 255) return 0;
  const int threads_of_sm =
      chip.compute_capability == 86 || chip.compute_capability == 89 ? 1536 : kThreadsOfSm;
  const std::int64_t by_registers = kRegistersOfSm / (registers * schedule.threads);
  const std::int64_t by_threads = threads_of_sm / schedule.threads;
  const std::int64_t by_shared = chip.shared_per_sm / (layout.shared_bytes + kSharedOfDriver);
  return static_cast<int>(std::min({by_registers, by_threads, by_shared, std::int64_t{16}}));
}

}  // namespace strobe::bench
