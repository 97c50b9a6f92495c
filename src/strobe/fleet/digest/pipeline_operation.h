#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "strobe/base/interval.h"
#include "strobe/trace/trace.h"

// The operations of which a step of a pipeline job consists, and where a trace has them: as ranges
// that name them.
namespace strobe::fleet {

enum class OpType : std::uint8_t {
  kParamsAllGather,
  kForwardCompute,
  kForwardSend,
  kForwardRecv,
  kBackwardCompute,
  kBackwardSend,
  kBackwardRecv,
  kGc,
  kLayernormAllReduce,
  kEmbeddingAllReduce,
  kReduceScatter,
  kSeparateAllReduce,
  kClip,
  kOptimizer,
  kCount_
};

// As tables spell it: "forward-compute".
std::string_view name_of(OpType type);
std::optional<OpType> op_type(std::string_view name);

// All others move data between workers.
constexpr bool is_compute(OpType type) {
  return type == OpType::kForwardCompute || type == OpType::kBackwardCompute ||
         type == OpType::kGc || type == OpType::kOptimizer;
}

// What a range's name says of an operation: Megatron's timers name it as tables do
// ("forward-compute", also with '_', and with a number of a model chunk: "chunk 1"), PyTorch's
// schedules by stage and micro-batch ("PP:2F0", "PP:2RECV_F0") and its optimizers by their class
// ("Optimizer.step#Adam.step").
struct NamedOperation {
  OpType type = OpType::kCount_;
  std::int32_t chunk = -1;         // of the model, in its stage; -1: not said
  std::int32_t global_chunk = -1;  // of the whole model; -1: not said

  bool operator==(const NamedOperation&) const = default;
};
std::optional<NamedOperation> named_operation(std::string_view range);

struct PipelineOperation {
  NamedOperation what;
  std::int64_t called_ns = 0;  // when its range begins on the host
  // The device work that was launched in the range; the range if there is none.
  Interval interval;

  bool operator==(const PipelineOperation&) const = default;
};

// By call. A range inside of another that names an operation is a part of it.
std::vector<PipelineOperation> pipeline_operations(const Trace& trace);

}  // namespace strobe::fleet
