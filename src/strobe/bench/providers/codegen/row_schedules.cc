#include "strobe/bench/providers/codegen/row_kernel.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "strobe/bench/providers/codegen/row_plan.h"
#include "strobe/bench/providers/codegen/row_walk_text.h"
#include "strobe/bench/providers/codegen/source_text.h"

namespace strobe::bench {

RowPlan plan_of(const KernelTask& task, const RowSchedule& schedule) {
  const bool in_shared = schedule.is_held_in_shared;
  // Kept values are f32, so they fit into the place of an input only if it is f32 too.
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
  layout.slice_bytes = layout.slice * schedule.packet_bytes;
  layout.stage_bytes = round_up(inputs * layout.slice_bytes, 128);
  const std::int64_t extra =
      schedule.is_held_in_shared ? std::max<std::int64_t>(plan.slots - inputs, 0) : 0;
  layout.partial_offset =
      round_up(layout.stage_bytes * schedule.stages + extra * layout.slice_bytes, 16);
  const JoinLayout partials = {.group = schedule.group,
                               .cluster = schedule.cluster,
                               .rows_per_block = schedule.rows_per_block(),
                               .reductions = plan.reductions()};
  layout.barrier_offset = round_up(layout.partial_offset + partial_bytes(partials), 8);
  std::int64_t bytes = layout.barrier_offset;
  if (schedule.load == RowLoad::kBulk) bytes += 8 * schedule.stages;
  layout.columns_offset = round_up(bytes, 16);
  if (schedule.columns == ColumnPlace::kShared) {
    bytes = layout.columns_offset +
            static_cast<std::int64_t>(plan.column_inputs.size()) * layout.slice_bytes;
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

namespace {

constexpr int kSharedOfDriver = 1024;  // reserved for every block, in addition to its own

}  // namespace

int blocks_that_fit(const KernelTask& task, const RowSchedule& schedule, const ChipFacts& chip) {
  const RowLayout layout = layout_of(task, schedule, plan_of(task, schedule));
  if (layout.shared_bytes > chip.shared_per_block) return 0;
  const int registers = (layout.registers + 7) / 8 * 8;
  if (registers > 255) return 0;
  const std::int64_t by_registers = chip.registers_per_sm / (registers * schedule.threads);
  const std::int64_t by_threads = chip.threads_per_sm / schedule.threads;
  const std::int64_t by_shared = chip.shared_per_sm / (layout.shared_bytes + kSharedOfDriver);
  return static_cast<int>(std::min({by_registers, by_threads, by_shared, std::int64_t{16}}));
}

namespace {

constexpr int kMostHeld = 64;  // values per thread in registers

// Lower is more promising. On an H200, two packets per thread with as many threads as needed were
// fastest, more if the block is full. Idle lanes and idle multiprocessors add their share.
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

namespace {

constexpr int kMostStages = 3;

// The row stays in shared memory until it is done: for rows that registers cannot hold.
void add_held(std::vector<RowSchedule>& schedules, const KernelTask& task, RowSchedule schedule,
              const ChipFacts& chip) {
  schedule.is_held_in_shared = true;
  schedule.stages = 1;
  for (const int threads : {1024, 512}) {
    schedule.threads = schedule.group = threads;
    schedule.blocks_per_sm = blocks_that_fit(task, schedule, chip);
    if (schedule.blocks_per_sm == 0) continue;
    schedules.push_back(schedule);
  }
}

// A persistent block that loads rows ahead while it reduces one in registers.
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

namespace {

// Operands with one value per column cost a long row twice its own bytes from L2; a block that
// takes several rows reads them once. Persistent blocks are fastest if the chip can run most of
// them at once; otherwise blocks that end after some rows.
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
  // On an H200, few blocks with much work each were fastest: every block is one more to wait for.
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
