#include "strobe/bench/reference/input_tensors.h"

#include "strobe/bench/reference/half_float.h"
#include "strobe/bench/reference/input_values.h"

namespace strobe::bench {
namespace {

std::vector<InputTensor> row_inputs(const CaseInfo& info, const Shape& shape) {
  std::vector<InputTensor> tensors;
  for (const Tensor& tensor : fused(info).inputs) {
    const bool may_be_dropped = !info.training_of.empty() && tensor.name != "residual";
    tensors.push_back(
        {tensor.name, stored_size(tensor, shape[0], shape[1]).values(), may_be_dropped});
  }
  return tensors;
}

std::vector<InputTensor> matmul_inputs(const CaseInfo& info, const Shape& shape) {
  const std::int64_t m = shape[0], n = shape[1], k = shape[2];
  std::vector<InputTensor> tensors = {{"A", m * k}, {"B", k * n}};
  if (info.id == "matmul_matmul") tensors.push_back({"W", n * k});
  if (info.id == "matmul_add" || info.id == "matmul_add_relu") tensors.push_back({"D", m * n});
  return tensors;
}

std::vector<InputTensor> convolution_inputs(const CaseInfo& info, const Shape& shape) {
  const std::int64_t filters = shape[4];
  std::vector<InputTensor> tensors = {{"x", shape[0] * shape[1] * shape[2] * shape[3]},
                                      {"w", filters * shape[5] * shape[5] * shape[3]}};
  if (info.id == "conv_add") {
    tensors.push_back({"D", shape[0] * convolved(shape[1], shape[5], shape[6]) *
                                convolved(shape[2], shape[5], shape[6]) * filters});
  }
  if (info.id == "conv_bn") {
    for (const char* name : {"gamma", "beta", "mean"}) tensors.push_back({name, filters});
    tensors.push_back({"variance", filters, true});
  }
  return tensors;
}

}  // namespace

std::vector<InputTensor> input_tensors(const CaseInfo& info, const Shape& shape) {
  switch (info.kind) {
    case CaseKind::kRows:
      return row_inputs(info, shape);
    case CaseKind::kMatmul:
      return matmul_inputs(info, shape);
    case CaseKind::kConvolution:
      return convolution_inputs(info, shape);
    case CaseKind::kAttention: {
      const std::int64_t values = shape[0] * shape[1] * shape[2] * shape[3];
      return {{"q", values}, {"k", values}, {"v", values}};
    }
  }
  return {};
}

InputLaw law_of_input(const CaseInfo& info, std::size_t number, InputLaw law) {
  const bool is_gradient = info.id == "softmax_backward" && number == 0;
  return is_gradient ? InputLaw::kNormal : law;
}

InputSource::InputSource(const InputTensor& tensor, std::uint32_t number, InputLaw law,
                         const PrepareRequest& request)
    : seed_(request.seed),
      number_(number),
      law_(law),
      is_far_from_zero_(tensor.is_far_from_zero),
      dtype_(request.cell.dtype),
      columns_(request.cell.shape[1]) {}

float InputSource::operator()(std::int64_t index) const {
  const auto at = static_cast<std::uint64_t>(index);
  const float value = is_far_from_zero_ ? 0.5f + uniform_value(input_bits(seed_, number_, at), 1.0f)
                                        : input_value(law_, seed_, number_, at, columns_);
  return rounded_to(dtype_, value);
}

void InputSource::fill(float* out, std::int64_t first, std::int64_t count) const {
  for (std::int64_t i = 0; i < count; ++i) out[i] = (*this)(first + i);
}

std::vector<InputSource> input_sources(const CaseInfo& info, const PrepareRequest& request) {
  std::vector<InputSource> sources;
  for (const InputTensor& tensor : input_tensors(info, request.cell.shape)) {
    const std::size_t number = sources.size();
    sources.emplace_back(tensor, static_cast<std::uint32_t>(number),
                         law_of_input(info, number, request.law), request);
  }
  return sources;
}

}  // namespace strobe::bench
