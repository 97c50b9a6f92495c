#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/result.h"

// A pipeline job as a table of operations: what each data-parallel rank of each stage did in each
// step.
namespace strobe {
class ByteStream;
}

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

// All others move data between workers.
constexpr bool is_compute(OpType type) {
  return type == OpType::kForwardCompute || type == OpType::kBackwardCompute ||
         type == OpType::kGc || type == OpType::kOptimizer;
}

// One operation of one data-parallel rank; every rank has it in every step.
struct Operation {
  OpType type = OpType::kCount_;
  std::int32_t sequence = 0;  // among those of its type and stage
  std::int32_t stage = 0;
  std::int32_t chunk = 0;         // of the stage's model chunks; -1: not known
  std::int32_t global_chunk = 0;  // of the whole model; -1: not known
};

// "forward-compute_3_0": type, sequence and stage.
std::string name_of(const Operation& operation);

struct JobSizes {
  std::int32_t data_parallel = 0;  // ranks
  std::int32_t stages = 0;         // of the pipeline
  std::int32_t chunks = 0;         // of the model in each stage

  // What the table does not say, and no answer needs.
  std::optional<std::int32_t> tensor_parallel = {};
  std::optional<std::int32_t> sequence_parallel = {};
  std::optional<std::int32_t> devices = {};
};

struct OperationTable {
  std::string name;  // of the job
  JobSizes sizes;
  std::vector<std::int64_t> steps;         // their numbers, ascending
  std::vector<std::int32_t> data_ranks;    // data-parallel ranks, ascending
  std::vector<std::int32_t> worker_ranks;  // of the job; [stage][data-parallel rank]

  // As the first data-parallel rank did them in the first step, in the order of their starts.
  std::vector<Operation> operations;

  // Seconds since the first start of the step; [operation][step][data-parallel rank].
  std::vector<double> start_s;
  std::vector<double> end_s;

  // Workers that do the same, in all steps: the length of each row above.
  std::size_t lanes() const { return steps.size() * data_ranks.size(); }
};

// Whether a text begins like such a table: its first line names most of the columns, so that
// reading can tell which one is absent.
bool is_operation_table(std::string_view text);

// `file`: for errors.
Result<OperationTable> parse_operation_table(ByteStream& stream, const std::string& file);

// A file, plain or compressed. A `meta-JOB.yaml` beside `...-JOB.csv` adds sizes that the table
// does not have.
Result<OperationTable> read_operation_table(const std::string& path);
// The same from a file whose content was made into CSV.
Result<OperationTable> read_operation_table(ByteStream& csv, const std::string& path);

}  // namespace strobe::fleet
