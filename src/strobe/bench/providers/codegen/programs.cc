#include "strobe/bench/providers/codegen/programs.h"

#include <algorithm>
#include <map>

#include "strobe/bench/providers/codegen/emit_expression.h"
#include "strobe/bench/providers/codegen/kernel_choices.h"
#include "strobe/bench/providers/codegen/source_text.h"

namespace strobe::bench {
namespace {

Result<void> check_shape(const CaseInfo& info, const Shape& shape) {
  if (info.kind != CaseKind::kRows) {
    return Error{ErrorCode::kInvalidArgument,
                 cat("'", info.id, "' is no case over rows, for which alone kernels are generated"),
                 "", "use cublaslt, cudnn or a worker"};
  }
  if (shape.dims.size() != 2 || shape[0] < 1 || shape[1] < 1) {
    return Error{ErrorCode::kInvalidArgument,
                 cat("'", info.id, "' takes rows and columns, not ", shape_text(shape)), "", ""};
  }
  return {};
}

Error no_schedule(const KernelTask& task, const Shape& shape) {
  return {ErrorCode::kInvalidArgument,
          cat("no schedule fits '", task.stem, "' at ", shape_text(shape)), "", ""};
}

KernelTask task_of(std::string stem, const Expression& expression, const Shape& shape,
                   DType dtype) {
  return {std::move(stem), with_tensor_names(simplified(expression, shape[1])), shape[0], shape[1],
          dtype};
}

}  // namespace

Result<KernelProgram> unfused_program(const CaseInfo& info, const Shape& shape, DType dtype,
                                      const ChipFacts& chip) {
  STROBE_TRY_VOID(check_shape(info, shape));
  KernelProgram program;
  program.label = "one kernel an operator";
  const Expression whole = fused(info);
  for (const Operator& op : info.operators) {
    const KernelTask task = task_of(cat(info.id, "_", program.kernels.size(), "_", op.name),
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
  const KernelTask task = task_of(std::string(info.id), fused(info), shape, dtype);
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
