#include "strobe/bench/providers/codegen/programs.h"

#include <algorithm>
#include <map>
#include <vector>

#include "strobe/bench/providers/codegen/emit_expression.h"
#include "strobe/bench/providers/codegen/kernel_task.h"
#include "strobe/bench/providers/codegen/pointwise.h"
#include "strobe/bench/providers/codegen/row_kernel.h"
#include "strobe/bench/providers/codegen/row_plan.h"
#include "strobe/bench/providers/codegen/row_stream.h"
#include "strobe/bench/providers/codegen/source_text.h"

namespace strobe::bench {
namespace {

struct KernelChoice {
  std::string label;
  GeneratedKernel kernel;
  double moved_bytes = 0;
};

// If the traffic is much larger than the caches, lines that are not read again only evict others.
bool is_beyond_caches(const KernelTask& task, const ChipFacts& chip) {
  return task.bytes_of_tensors() > static_cast<double>(chip.l2_bytes);
}

// On an H200, small tiles with few loads in flight per thread were fastest: the chip starts blocks
// fast enough.
std::vector<PointwiseFlat> flat_schedules(const KernelTask& task, const ChipFacts& chip) {
  std::vector<PointwiseFlat> schedules;
  const double bytes = static_cast<double>(task.elements() * task.value_bytes());
  const auto add = [&](int threads, int unroll, int stay, CacheHint hint, int packet = 16) {
    const double tile = double(packet) * threads * unroll;
    if (unroll > 1 && bytes / tile < 2.0 * chip.sm_count) return;
    if (stay > 0 && bytes / tile < 8.0 * chip.sm_count * stay) return;
    schedules.push_back({threads, unroll, packet, stay, hint});
  };
  using enum CacheHint;
  const bool is_large = is_beyond_caches(task, chip);
  for (const int threads : {128, 256}) {
    add(threads, 1, 0, is_large ? kPastL1 : kPlain);
    add(threads, 1, 0, is_large ? kPlain : kPastL1);
  }
  for (const int threads : {128, 256}) {
    add(threads, 2, 0, is_large ? kPastL1 : kPlain);
    add(threads, 2, 0, is_large ? kPlain : kPastL1);
  }
  // Small problems finish sooner with more threads.
  constexpr double kBytesOfFew = 4 << 20;
  if (bytes <= kBytesOfFew) {
    add(256, 1, 0, kPlain, 8);
    add(128, 1, 0, kPlain, 8);
    add(256, 1, 0, kPlain, 4);
  }
  if (is_large) add(128, 1, 0, kKept);
  if (is_large) add(256, 1, 0, kKept);
  add(512, 1, 0, kPlain);
  add(64, 1, 0, kPlain);
  add(64, 2, 0, is_large ? kPastL1 : kPlain);
  add(256, 4, 0, kPastL1);
  add(256, 4, 0, kPlain);
  add(128, 4, 0, kPastL1);
  add(512, 2, 0, kPlain);
  add(128, 1, 0, kStreamed);
  add(256, 1, 0, kStreamed);
  add(1024, 1, 0, kPlain);
  add(256, 8, 0, kPlain);
  add(512, 4, 2, kStreamed);
  return schedules;
}

class RowChoices {
 public:
  RowChoices(const KernelTask& task, const ChipFacts& chip, std::size_t most)
      : task_(task), chip_(chip), most_(most), is_large_(is_beyond_caches(task, chip)) {
    RowPlan plan = plan_rows(task.expression, KeepPolicy::kAll);
    can_join_ = join_walks(plan, task.expression);
    is_one_walk_ = task.expression.dependent_reductions() == 1 && plan.walks.back().reads.empty() &&
                   plan.walks.back().outputs.empty();
  }

  std::vector<KernelChoice> run() && {
    const std::vector<RowSchedule> registers = row_register_schedules(task_, chip_);
    const std::vector<RowSchedule> clusters = row_cluster_schedules(task_, chip_);
    const std::vector<RowSchedule> shared = row_shared_schedules(task_, chip_);
    const std::vector<RowStream> streams = row_stream_schedules(task_, chip_);
    // A single walk reads memory once whatever it keeps.
    const bool stream_first = is_one_walk_ && registers.empty();
    const bool registers_fit = !registers.empty();
    if (stream_first) add(streams, 6);
    add(registers, registers_fit && clusters.empty() ? 10 : 5);
    add(clusters, registers_fit ? 2 : 12);
    if (is_one_walk_) add(streams, 4);
    add(shared, registers_fit ? 1 : 3);
    if (choices_.size() < 4 || (!registers_fit && clusters.empty())) add(streams, 5);
    return std::move(choices_);
  }

 private:
  void add(const std::vector<RowSchedule>& schedules, std::size_t most) {
    for (std::size_t i = 0; i < std::min(most, schedules.size()); ++i) {
      RowSchedule schedule = schedules[i];
      const bool has_barriers = schedule.warps_of_row() * schedule.cluster > 1;
      const bool joins = can_join_ && has_barriers;
      schedule.hint = is_large_ ? CacheHint::kKept : CacheHint::kPlain;
      schedule.joins_walks = joins;
      add(schedule);
      if (joins && i < 3) {
        schedule.joins_walks = false;
        add(schedule);
        schedule.joins_walks = true;
      }
      if (i < 2 && can_hold_columns(schedule)) {
        schedule.columns = ColumnPlace::kRegisters;
        add(schedule);
        schedule.columns = ColumnPlace::kMemory;
      }
      if (!is_large_) continue;
      schedule.hint = CacheHint::kPastL1;
      if (i < 2) add(schedule);
      schedule.hint = CacheHint::kPlain;
      if (i < 3) add(schedule);
    }
  }

  // Loads gamma and beta together with the row, not after its reductions.
  bool can_hold_columns(RowSchedule schedule) const {
    if (schedule.columns != ColumnPlace::kMemory) return false;
    schedule.columns = ColumnPlace::kRegisters;
    const RowPlan plan = plan_of(task_, schedule);
    return !plan.column_inputs.empty() &&
           layout_of(task_, schedule, plan).registers * schedule.threads * schedule.blocks_per_sm <=
               chip_.registers_per_sm;
  }

  void add(const RowSchedule& schedule) {
    if (choices_.size() == most_) return;
    choices_.push_back(
        {label_of(schedule), emit_row_kernel(task_, schedule, chip_), task_.bytes_of_tensors()});
  }

  void add(const std::vector<RowStream>& schedules, std::size_t most) {
    for (std::size_t i = 0; i < std::min(most, schedules.size()) && choices_.size() < most_; ++i) {
      RowStream schedule = schedules[i];
      // A second walk over the row should find it in the cache.
      if (is_large_) schedule.hint = is_one_walk_ ? CacheHint::kPastL1 : CacheHint::kKept;
      GeneratedKernel kernel = emit_row_stream(task_, schedule);
      const bool is_known = std::ranges::any_of(
          choices_, [&](const KernelChoice& known) { return known.kernel.name == kernel.name; });
      if (!is_known)
        choices_.push_back({label_of(schedule), std::move(kernel), streamed_bytes(task_)});
    }
  }

  const KernelTask& task_;
  const ChipFacts& chip_;
  std::size_t most_;
  bool is_large_;
  bool can_join_ = false;
  bool is_one_walk_ = false;
  std::vector<KernelChoice> choices_;
};

// All schedules for one task, the most promising first; empty if none can run it.
std::vector<KernelChoice> kernel_choices(const KernelTask& task, const ChipFacts& chip,
                                         std::size_t most) {
  std::vector<KernelChoice> choices;
  if (task.expression.has_reduction()) {
    if (task.expression.dropout()) return choices;  // its rows have no element indices
    return RowChoices(task, chip, most).run();
  }
  const double bytes = task.bytes_of_tensors();
  if (can_run_flat(task)) {
    for (const PointwiseFlat& schedule : flat_schedules(task, chip)) {
      if (choices.size() == most) break;
      choices.push_back({label_of(schedule), emit_pointwise_flat(task, schedule, chip), bytes});
    }
  } else if (can_run_tile(task)) {
    for (const PointwiseTile& schedule : pointwise_tile_schedules(task, chip)) {
      if (choices.size() == most) break;
      choices.push_back({label_of(schedule), emit_pointwise_tile(task, schedule), bytes});
    }
  }
  return choices;
}

Result<void> check_shape(const CaseInfo& info, const Shape& shape) {
  if (info.kind != CaseKind::kRows) {
    return Error{
        ErrorCode::kUnsupported,
        cat("'", info.id, "' is not a case over rows; kernels are generated only for those"), "",
        "use cublaslt, cudnn or a worker"};
  }
  if (shape.dims.size() != 2 || shape[0] < 1 || shape[1] < 1) {
    return Error{ErrorCode::kUnsupported,
                 cat("'", info.id, "' takes rows and columns, not ", shape_text(shape)), "", ""};
  }
  return {};
}

Error no_schedule(const KernelTask& task, const Shape& shape) {
  return {ErrorCode::kUnsupported, cat("no schedule fits '", task.stem, "' at ", shape_text(shape)),
          "", ""};
}

KernelTask task_for(std::string stem, const Expression& expression, const Shape& shape,
                    DType dtype) {
  return {std::move(stem), with_tensor_names(simplified(expression, shape[1])), shape[0], shape[1],
          dtype};
}

}  // namespace

Result<KernelProgram> unfused_program(const CaseInfo& info, const Shape& shape, DType dtype,
                                      const ChipFacts& chip) {
  STROBE_TRY_VOID(check_shape(info, shape));
  KernelProgram program;
  program.label = "one kernel per operator";
  const Expression whole = fused(info);
  for (const Operator& op : info.operators) {
    const KernelTask task = task_for(cat(info.id, "_", program.kernels.size(), "_", op.name),
                                     op.expression, shape, dtype);
    std::vector<KernelChoice> choices = kernel_choices(task, chip, 1);
    if (choices.empty()) return no_schedule(task, shape);
    program.moved_bytes += choices.front().moved_bytes;
    program.kernels.push_back(std::move(choices.front().kernel));
    for (const Output& output : op.expression.outputs) {
      const bool is_final = std::ranges::any_of(whole.outputs, [&](const Output& last) {
        return last.tensor.name == output.tensor.name;
      });
      if (!is_final) program.between.push_back({output.tensor, task.values_of(output.tensor)});
    }
  }
  return program;
}

Result<std::vector<KernelProgram>> fused_candidates(const CaseInfo& info, const Shape& shape,
                                                    DType dtype, const ChipFacts& chip) {
  STROBE_TRY_VOID(check_shape(info, shape));
  const KernelTask task = task_for(std::string(info.id), fused(info), shape, dtype);
  std::vector<KernelProgram> programs;
  for (KernelChoice& choice : kernel_choices(task, chip, kMostCandidates)) {
    KernelProgram program;
    program.label = std::move(choice.label);
    program.moved_bytes = choice.moved_bytes;
    program.kernels.push_back(std::move(choice.kernel));
    programs.push_back(std::move(program));
  }
  if (programs.empty()) return no_schedule(task, shape);
  return programs;
}

}  // namespace strobe::bench
