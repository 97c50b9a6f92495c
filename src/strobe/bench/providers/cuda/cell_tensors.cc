#include "strobe/bench/providers/cuda/cell_tensors.h"

#include <algorithm>
#include <utility>

#include "strobe/base/check.h"
#include "strobe/bench/reference/input_tensors.h"

namespace strobe::bench {
namespace {

constexpr std::size_t kAlignment = 256;  // the driver's own alignment

CellTensor laid_out(const Tensor& tensor, CellTensor::Role role, std::size_t number,
                    const Shape& shape) {
  CellTensor out;
  out.name = tensor.name;
  out.role = role;
  out.number = static_cast<std::uint32_t>(number);
  const StoredSize size = stored_size(tensor, shape[0], shape[1]);
  out.rows = size.rows;
  out.columns = size.columns;
  return out;
}

}  // namespace

CellTensors::CellTensors(const CaseInfo& info, const Shape& shape, DType dtype,
                         std::span<const ProgramBuffer> between) {
  const Expression expression = fused(info);
  const std::vector<InputTensor> inputs = input_tensors(info, shape);
  for (std::size_t i = 0; i < expression.inputs.size(); ++i) {
    CellTensor tensor = laid_out(expression.inputs[i], CellTensor::Role::kInput, i, shape);
    tensor.is_far_from_zero = inputs[i].is_far_from_zero;
    add(std::move(tensor), dtype);
  }
  for (std::size_t i = 0; i < expression.outputs.size(); ++i) {
    add(laid_out(expression.outputs[i].tensor, CellTensor::Role::kOutput, i, shape), dtype);
  }
  for (std::size_t i = 0; i < between.size(); ++i) {
    CellTensor tensor = laid_out(between[i].tensor, CellTensor::Role::kBetween, i, shape);
    if (between[i].elements > tensor.elements()) {  // a workspace may be larger than its extent
      tensor.rows = 1;
      tensor.columns = between[i].elements;
    }
    add(std::move(tensor), dtype);
  }
}

CellTensors::CellTensors(std::vector<CellTensor> tensors, DType dtype) {
  for (CellTensor& tensor : tensors) add(std::move(tensor), dtype);
}

void CellTensors::add(CellTensor tensor, DType dtype) {
  tensor.bytes = static_cast<std::size_t>(tensor.elements() * bytes_of(dtype));
  tensor.offset = end_;
  resident_bytes_ += tensor.bytes;
  outputs_ += tensor.role == CellTensor::Role::kOutput ? 1 : 0;
  end_ += (tensor.bytes + kAlignment - 1) / kAlignment * kAlignment;
  tensors_.push_back(std::move(tensor));
}

const CellTensor* CellTensors::find(std::string_view name) const {
  const auto found = std::ranges::find(tensors_, name, &CellTensor::name);
  return found == tensors_.end() ? nullptr : &*found;
}

const CellTensor& CellTensors::output(std::size_t number) const {
  for (const CellTensor& tensor : tensors_) {
    if (tensor.role == CellTensor::Role::kOutput && tensor.number == number) return tensor;
  }
  STROBE_CHECK(false, "an output is asked for by its number");
  return tensors_.front();
}

}  // namespace strobe::bench
