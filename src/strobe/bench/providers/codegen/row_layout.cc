#include <algorithm>

#include "strobe/bench/providers/codegen/row_kernel.h"
#include "strobe/bench/providers/codegen/source_text.h"
#include "strobe/bench/providers/codegen/walk_joins.h"

namespace strobe::bench {
namespace {

std::int64_t round_up(std::int64_t value, std::int64_t to) { return (value + to - 1) / to * to; }

}  // namespace

RowPlan plan_of(const KernelTask& task, const RowSchedule& schedule) {
  const bool in_shared = schedule.is_held_in_shared;
  // Values that are kept are f32: they fit where an input was only if that was f32 too.
  const bool keeps_none = in_shared && task.dtype != DType::kF32;
  RowPlan plan = plan_rows(task.expression, keeps_none  ? KeepPolicy::kNone
                                            : in_shared ? KeepPolicy::kCostly
                                                        : KeepPolicy::kAll);
  if (keeps_none) {
    plan.slots = static_cast<int>(plan.inputs.size());
    for (RowWalk& walk : plan.walks) {
      for (RowWalk::Read& read : walk.reads) {
        read.slot =
            static_cast<int>(std::ranges::find(plan.inputs, read.node) - plan.inputs.begin());
      }
    }
  }
  if (schedule.joins_walks) join_walks(plan, task.expression);
  return plan;
}

RowLayout layout_of(const KernelTask& task, const RowSchedule& schedule, const RowPlan& plan) {
  RowLayout layout;
  layout.values = schedule.packet_bytes / static_cast<int>(task.value_bytes());
  layout.packets = task.columns / layout.values;
  layout.slice = (layout.packets + schedule.cluster - 1) / schedule.cluster;
  layout.least_slice =
      std::max<std::int64_t>(layout.packets - layout.slice * (schedule.cluster - 1), 0);
  layout.per_thread = static_cast<int>((layout.slice + schedule.group - 1) / schedule.group);
  layout.always = static_cast<int>(layout.least_slice / schedule.group);
  const auto inputs = static_cast<std::int64_t>(plan.inputs.size());
  const std::int64_t slice_bytes = layout.slice * schedule.packet_bytes;
  layout.stage_bytes = round_up(inputs * slice_bytes, 128);
  const std::int64_t extra =
      schedule.is_held_in_shared ? std::max<std::int64_t>(plan.slots - inputs, 0) : 0;
  const int parts = schedule.warps_of_row() * schedule.cluster;
  std::int64_t bytes = round_up(layout.stage_bytes * schedule.stages + extra * slice_bytes, 16);
  if (parts > 1) bytes += std::int64_t{8} * plan.reductions() * schedule.rows_per_block() * parts;
  bytes = round_up(bytes, 8);
  if (schedule.load == RowLoad::kBulk) bytes += 8 * schedule.stages;
  layout.columns_offset = round_up(bytes, 16);
  if (schedule.columns == ColumnPlace::kShared) {
    bytes =
        layout.columns_offset + static_cast<std::int64_t>(plan.column_inputs.size()) * slice_bytes;
  }
  layout.shared_bytes = bytes;
  const int held = schedule.is_held_in_shared ? 0 : plan.slots;
  const int columns =
      schedule.columns == ColumnPlace::kRegisters ? static_cast<int>(plan.column_inputs.size()) : 0;
  const int ahead = schedule.loads_ahead ? static_cast<int>(inputs) : 0;
  layout.registers = 16 + (held + columns) * layout.per_thread * layout.values +
                     ahead * layout.per_thread * schedule.packet_bytes / 4;
  return layout;
}

std::string detail_of(const KernelTask& task, const RowSchedule& schedule) {
  std::string detail = cat(task.columns, "_", schedule.threads);
  if (schedule.rows_per_block() > 1) detail += cat("g", schedule.group);
  if (schedule.cluster > 1) detail += cat("_by", schedule.cluster);
  if (schedule.load == RowLoad::kBulk) detail += cat("_bulk", schedule.stages);
  if (schedule.load == RowLoad::kAsync) detail += cat("_async", schedule.stages);
  if (schedule.is_held_in_shared) detail += "_held";
  if (schedule.joins_walks) detail += "_joined";
  if (schedule.columns == ColumnPlace::kRegisters) detail += "_columns";
  if (schedule.columns == ColumnPlace::kShared) detail += "_columns_shared";
  if (schedule.loads_ahead) detail += "_ahead";
  if (schedule.order == RowOrder::kStaying) detail += cat("_stay", schedule.blocks_per_sm);
  if (schedule.order == RowOrder::kChunk) detail += cat("_chunk", schedule.chunk);
  detail += hint_suffix(schedule.hint);
  if (schedule.packet_bytes != 16) detail += cat("_", schedule.packet_bytes, "b");
  return detail;
}

std::string label_of(const RowSchedule& schedule) {
  std::string label = schedule.name;
  std::ranges::replace(label, '_', '-');
  label += cat(" ", schedule.threads, "x", schedule.packet_bytes, "B");
  if (schedule.rows_per_block() > 1) label += cat(" ", schedule.rows_per_block(), " rows");
  if (schedule.cluster > 1) label += cat(" cluster ", schedule.cluster);
  if (schedule.load != RowLoad::kDirect) {
    label += cat(schedule.load == RowLoad::kBulk ? " bulk " : " async ", schedule.stages);
  }
  if (schedule.is_held_in_shared) label += " held in shared";
  if (schedule.joins_walks) label += " joined";
  if (schedule.columns == ColumnPlace::kRegisters) label += " columns in registers";
  if (schedule.columns == ColumnPlace::kShared) label += " columns in shared";
  if (schedule.loads_ahead) label += " ahead";
  if (schedule.order == RowOrder::kStaying) label += cat(" stays ", schedule.blocks_per_sm);
  if (schedule.order == RowOrder::kChunk) label += cat(" chunk ", schedule.chunk);
  if (schedule.hint != CacheHint::kPlain) label += cat(" ", hint_name(schedule.hint));
  return label;
}

}  // namespace strobe::bench
