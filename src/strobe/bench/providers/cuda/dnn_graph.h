#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "strobe/bench/cell.h"

// A graph for cuDNN as data: tensors and operations on them. The library finds one kernel for the
// whole graph, or reports that it has none.
namespace strobe::bench {

struct DnnTensor {
  std::string name;  // of the buffer; empty if never in memory, or a number
  std::vector<std::int64_t> dims;
  std::vector<std::int64_t> strides;  // in elements
  int type = 0;                       // dnn::DataType
  bool is_virtual = false;            // between two operations, on the chip
  bool is_number = false;             // `number` itself, passed with each call
  float number = 0;
};

using DnnTensorIndex = std::int32_t;
constexpr DnnTensorIndex kNoTensor = -1;

struct DnnOperation {
  enum class Kind : std::uint8_t { kMatmul, kPointwise, kReduction, kConvolution };
  Kind kind = Kind::kPointwise;
  int mode = 0;     // dnn::PointwiseMode or dnn::ReductionOperator
  int compute = 0;  // dnn::DataType
  std::int64_t axis = -1;
  DnnTensorIndex x = kNoTensor;  // matmul: A; convolution: the image
  DnnTensorIndex b = kNoTensor;  // matmul: B; convolution: the filters; pointwise: the second
  DnnTensorIndex t = kNoTensor;  // select: condition for x
  DnnTensorIndex y = kNoTensor;
  std::int64_t padding = 0;  // convolution, both axes
  std::int64_t stride = 1;
};

struct DnnGraph {
  std::vector<DnnTensor> tensors;
  std::vector<DnnOperation> operations;
  DType dtype = DType::kF32;  // of tensors in memory

  DnnTensorIndex add(DnnTensor tensor);
  // Adds an operation; its result is virtual and f32 by default.
  DnnTensorIndex pointwise(int mode, DnnTensorIndex x, DnnTensorIndex b, DnnTensorIndex y);
  DnnTensorIndex like(DnnTensorIndex other, int type);  // with its shape, never in memory
  std::int64_t uid(DnnTensorIndex tensor) const { return tensor + 1; }
};

// q, k, v as [B,S,H,D] to out as [B,H,S,D]; keys after the query are masked.
DnnGraph attention_graph(const Shape& shape, DType dtype);

enum class ConvolutionTail : std::uint8_t { kNone, kAdd, kRelu, kBias, kAddBias, kBiasRelu };
bool has_bias(ConvolutionTail tail);
// x [N,H,W,C] with w [K,R,R,C] to out [N,P,Q,K], then + D, + bias [K] and relu as the tail says.
DnnGraph convolution_graph(const Shape& shape, DType dtype, ConvolutionTail tail);

}  // namespace strobe::bench
