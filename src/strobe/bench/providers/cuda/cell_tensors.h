#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/bench/cases/case_info.h"
#include "strobe/bench/providers/codegen/kernel_program.h"

// The placement of the tensors of one cell in one piece of memory.
namespace strobe::bench {

struct CellTensor {
  enum class Role : std::uint8_t {
    kInput,     // filled
    kPrepared,  // made from inputs once, before anything is timed
    kBetween,
    kOutput,
  };
  std::string name;
  Role role = Role::kInput;
  std::int64_t rows = 1;  // as stored
  std::int64_t columns = 1;
  std::uint32_t number = 0;  // among the inputs or the outputs
  bool is_far_from_zero = false;
  std::size_t offset = 0;  // bytes; these two are set when it is placed
  std::size_t bytes = 0;
  std::int64_t elements() const { return rows * columns; }
};

class CellTensors {
 public:
  // For a case over rows.
  CellTensors(const CaseInfo& info, const Shape& shape, DType dtype,
              std::span<const ProgramBuffer> between);
  // For any case; the `tensors` have no place yet.
  CellTensors(std::vector<CellTensor> tensors, DType dtype);

  const std::vector<CellTensor>& all() const { return tensors_; }
  const CellTensor* find(std::string_view name) const;
  const CellTensor& output(std::size_t number) const;
  std::size_t output_count() const { return outputs_; }
  std::size_t resident_bytes() const { return resident_bytes_; }  // of the tensors alone
  std::size_t stride_bytes() const { return end_; }               // including padding for alignment

 private:
  void add(CellTensor tensor, DType dtype);

  std::vector<CellTensor> tensors_;
  std::size_t outputs_ = 0;
  std::size_t resident_bytes_ = 0;
  std::size_t end_ = 0;
};

}  // namespace strobe::bench
