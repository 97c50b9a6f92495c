#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "strobe/bench/providers/cpu/kernels.h"
#include "strobe/bench/providers/cpu/program.h"

// Steps of matrix products and of the operators after them. All threads pack the right side
// together, then each takes rows of the left.
namespace strobe::bench {

class ProductSteps {
 public:
  // The buffers of the case's inputs come first.
  explicit ProductSteps(const ProgramRequest& request);

  Program finish() && { return std::move(program_); }
  BufferIndex input(std::size_t number) const { return program_.inputs[number]; }
  BufferIndex output(std::int64_t elements);
  BufferIndex tensor(std::int64_t elements);  // of the cell's type
  BufferIndex floats(std::int64_t count);
  std::int64_t packed_floats(std::int64_t inner, std::int64_t columns) const;

  // [inner, columns] with those strides; returns the packed buffer.
  BufferIndex pack(std::string name, BufferIndex source, std::int64_t inner, std::int64_t columns,
                   std::int64_t inner_stride, std::int64_t column_stride);

  struct Product {
    BufferIndex left = 0;
    BufferIndex packed = 0;
    BufferIndex out = 0;
    std::int64_t rows = 0;
    std::int64_t inner = 0;
    std::int64_t columns = 0;
    std::optional<BufferIndex> addend = {};
    bool has_relu = false;
    std::optional<BufferIndex> scale = {};  // with shift: floats, one per column
    BufferIndex shift = 0;
    std::optional<Windows> windows = {};
  };
  void multiply(std::string name, const Product& product);
  // (left right) second, without storing the first product: some rows of it at a time.
  void multiply_twice(std::string name, const Product& product, BufferIndex second,
                      std::int64_t columns);

  // A separate pass over tensors of that many values.
  void pass(std::string name, RowsKernelId id, BufferIndex a, BufferIndex b, BufferIndex out,
            std::int64_t elements);
  void step(std::string name, std::function<void(const ProgramContext&)> run);

  BufferIndex scratch() const { return scratch_; }  // multiply_scratch floats for each thread

 private:
  const ProgramRequest& request_;
  const KernelSet& products_;
  std::int64_t size_;  // of a value
  Program program_;
  BufferIndex scratch_;
};

}  // namespace strobe::bench
