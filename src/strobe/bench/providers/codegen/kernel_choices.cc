#include "strobe/bench/providers/codegen/kernel_choices.h"

#include <algorithm>

#include "strobe/bench/providers/codegen/pointwise_flat.h"
#include "strobe/bench/providers/codegen/row_schedules.h"

namespace strobe::bench {
namespace {

std::vector<PointwiseFlat> flat_schedules(const KernelTask& task, const ChipFacts& chip) {
  std::vector<PointwiseFlat> schedules;
  const double bytes = static_cast<double>(task.elements() * task.value_bytes());
  const int packet = packet_bytes_for(16, task.dtype);
  const auto add = [&](int threads, int unroll, int stay, CacheHint hint) {
    const double tile = double{1} * threads * unroll * packet;
    if (unroll > 1 && bytes / tile < chip.sm_count) return;
    if (stay > 0 && bytes / tile < 2.0 * chip.sm_count * stay) return;
    schedules.push_back({threads, unroll, packet, stay, hint});
  };
  for (const int unroll : {4, 2, 1, 8}) add(256, unroll, 0, CacheHint::kPlain);
  for (const int unroll : {4, 2}) add(256, unroll, 0, CacheHint::kStreamed);
  for (const int unroll : {4, 2, 1}) add(512, unroll, 0, CacheHint::kPlain);
  for (const int unroll : {4, 2}) add(256, unroll, 0, CacheHint::kPastL1);
  for (const int unroll : {1, 4, 8}) add(128, unroll, 0, CacheHint::kPlain);
  for (const int unroll : {1, 2}) add(1024, unroll, 0, CacheHint::kPlain);
  for (const int unroll : {4, 2}) add(512, unroll, 0, CacheHint::kStreamed);
  add(256, 4, 4, CacheHint::kPlain);
  add(256, 4, 4, CacheHint::kStreamed);
  add(512, 4, 2, CacheHint::kStreamed);
  return schedules;
}

}  // namespace

std::vector<KernelChoice> kernel_choices(const KernelTask& task, const ChipFacts& chip,
                                         std::size_t most) {
  std::vector<KernelChoice> choices;
  const double bytes = task.bytes_of_tensors();
  if (!task.expression.has_reduction()) {
    if (!can_run_flat(task)) return choices;
    for (const PointwiseFlat& schedule : flat_schedules(task, chip)) {
      if (choices.size() == most) break;
      choices.push_back({label_of(schedule), emit_pointwise_flat(task, schedule, chip), bytes});
    }
    return choices;
  }
  for (const RowSchedule& schedule : row_register_schedules(task, chip)) {
    if (choices.size() == most) break;
    choices.push_back({label_of(schedule), emit_row_kernel(task, schedule, chip), bytes});
  }
  return choices;
}

}  // namespace strobe::bench
