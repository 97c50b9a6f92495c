#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/bench/cases/expression.h"
#include "strobe/bench/cell.h"
#include "strobe/bench/providers/codegen/kernel_program.h"

// What all schedules share: parameters, arguments and names of a generated kernel.
namespace strobe::bench {

// One expression at one shape: what a schedule turns into a kernel.
struct KernelTask {
  std::string stem;       // "softmax", or "pointwise_chain_cos" for one operator of it
  Expression expression;  // simplified(), with_tensor_names()
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  DType dtype = DType::kF32;

  std::int64_t elements() const { return rows * columns; }
  std::int64_t value_bytes() const { return bytes_of(dtype); }
  std::int64_t values_of(const Tensor& tensor) const;
  double bytes_of_tensors() const;  // every input read once, every output written once
  std::size_t element_inputs() const;
};

// Tensors may have any name, also that of a kernel's own variable, so their names in the source are
// g_<name>.
Expression with_tensor_names(Expression expression);

// The widest packet, in bytes, of at most `most` bytes that divides `values` values.
int packet_bytes_for(std::int64_t values, DType dtype, int most = 16);

// extern "C" __global__ ... name(inputs, outputs, const long long <integer>...) and, if elements
// are dropped, const unsigned dropout_key. Tensors of elements are pointers to packets, the others
// to single values.
std::string signature_text(const KernelTask& task, std::string_view name, int threads,
                           int blocks_per_sm, const std::vector<std::string>& integers);
std::vector<KernelArgument> arguments_of(const KernelTask& task,
                                         const std::vector<std::int64_t>& integers);
// "strobe_softmax_row_registers_f32_<detail>"
std::string kernel_name(const KernelTask& task, std::string_view schedule, std::string_view detail);

// `node` must be an input.
inline const Tensor& input_of(const Expression& expression, const Node& node) {
  return expression.inputs[static_cast<std::size_t>(node.input)];
}

}  // namespace strobe::bench
