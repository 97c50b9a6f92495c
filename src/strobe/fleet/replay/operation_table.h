#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/fleet/digest/pipeline_operation.h"

// A pipeline job as a table of operations: what each data-parallel rank of each stage did in each
// step.
namespace strobe {
class ByteStream;
}

namespace strobe::fleet {

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

// One operation of one worker in one step.
struct OperationRow {
  std::int64_t step = 0;
  double start_s = 0;
  double duration_s = 0;
  Operation operation;
  std::int32_t data_rank = 0;
  std::int32_t rank = 0;
  std::size_t line = 0;  // of a file; 0: of none
};

// `source`: for errors.
Result<OperationTable> make_operation_table(const std::vector<OperationRow>& rows,
                                            const std::string& source);

// As read_operation_table() reads it.
std::string csv_of(const OperationTable& table);

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
