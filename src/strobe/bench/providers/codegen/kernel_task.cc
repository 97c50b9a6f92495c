#include "strobe/bench/providers/codegen/kernel_task.h"

#include <algorithm>

#include "strobe/bench/providers/codegen/source_text.h"

namespace strobe::bench {
namespace {

constexpr std::string_view kTensorPrefix = "g_";

}  // namespace

Expression with_tensor_names(Expression expression) {
  for (Tensor& input : expression.inputs) input.name.insert(0, kTensorPrefix);
  for (Output& output : expression.outputs) output.tensor.name.insert(0, kTensorPrefix);
  return expression;
}

std::int64_t KernelTask::values_of(const Tensor& tensor) const {
  return stored_size(tensor, rows, columns).values();
}

double KernelTask::bytes_of_tensors() const {
  std::int64_t values = 0;
  for (const Tensor& input : expression.inputs) values += values_of(input);
  for (const Output& output : expression.outputs) values += values_of(output.tensor);
  return static_cast<double>(values) * static_cast<double>(value_bytes());
}

std::size_t KernelTask::element_inputs() const {
  return static_cast<std::size_t>(
      std::ranges::count(expression.inputs, Extent::kElements, &Tensor::extent));
}

int packet_bytes_for(std::int64_t values, DType dtype, int most) {
  const auto size = static_cast<int>(bytes_of(dtype));
  int bytes = most;
  while (bytes > size && values * size % bytes != 0) bytes /= 2;
  return bytes;
}

std::string signature_text(const KernelTask& task, std::string_view name, int threads,
                           int blocks_per_sm, const std::vector<std::string>& integers) {
  std::string parameters;
  const auto add = [&](const std::string& parameter) {
    parameters += parameters.empty() ? "\n    " : ",\n    ";
    parameters += parameter;
  };
  const auto type = [](const Tensor& tensor) {
    return tensor.extent == Extent::kElements ? "strobe_packet" : "strobe_value";
  };
  for (const Tensor& input : task.expression.inputs) {
    add(cat("const ", type(input), "* __restrict__ ", input.name));
  }
  for (const Output& output : task.expression.outputs) {
    add(cat(type(output.tensor), "* __restrict__ ", output.tensor.name));
  }
  for (const std::string& integer : integers) add(cat("const long long ", integer));
  if (task.expression.dropout()) add("const unsigned dropout_key");
  const std::string bounds = blocks_per_sm > 0 ? cat(threads, ", ", blocks_per_sm) : cat(threads);
  return cat("extern \"C\" __global__ void __launch_bounds__(", bounds, ") ", name, "(", parameters,
             ")");
}

std::vector<KernelArgument> arguments_of(const KernelTask& task,
                                         const std::vector<std::int64_t>& integers) {
  std::vector<KernelArgument> arguments;
  for (const Tensor& input : task.expression.inputs)
    arguments.push_back({.tensor = input.name.substr(kTensorPrefix.size())});
  for (const Output& output : task.expression.outputs) {
    arguments.push_back({.tensor = output.tensor.name.substr(kTensorPrefix.size())});
  }
  for (const std::int64_t integer : integers) {
    arguments.push_back({.kind = KernelArgument::Kind::kInt64, .tensor = "", .integer = integer});
  }
  if (task.expression.dropout()) {
    arguments.push_back({.kind = KernelArgument::Kind::kDropoutKey, .tensor = ""});
  }
  return arguments;
}

std::string kernel_name(const KernelTask& task, std::string_view schedule,
                        std::string_view detail) {
  return cat("strobe_", task.stem, "_", schedule, "_", dtype_name(task.dtype), "_", detail);
}

}  // namespace strobe::bench
