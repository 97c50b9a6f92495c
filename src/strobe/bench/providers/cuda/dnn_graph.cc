#include "strobe/bench/providers/cuda/dnn_graph.h"

#include <cmath>
#include <limits>
#include <utility>

#include "strobe/bench/cases/case_info.h"
#include "strobe/bench/providers/cuda/cudnn_api.h"

namespace strobe::bench {
namespace {

using Dims = std::vector<std::int64_t>;

std::size_t place_of(DnnTensorIndex index) { return static_cast<std::size_t>(index); }

DnnTensor constant(float value) {
  return {.name = "",
          .dims = {1, 1, 1, 1},
          .strides = {1, 1, 1, 1},
          .type = dnn::kFloat,
          .is_number = true,
          .number = value};
}

DnnTensor between(Dims dims, Dims strides, int type) {
  return {.name = "",
          .dims = std::move(dims),
          .strides = std::move(strides),
          .type = type,
          .is_virtual = true};
}

DnnTensorIndex reduction(DnnGraph& graph, int op, DnnTensorIndex x) {
  const Dims& dims = graph.tensors[place_of(x)].dims;
  const DnnTensorIndex y = graph.add(
      between({dims[0], dims[1], dims[2], 1}, {dims[1] * dims[2], dims[2], 1, 1}, dnn::kFloat));
  graph.operations.push_back(
      {.kind = DnnOperation::Kind::kReduction, .mode = op, .compute = dnn::kFloat, .x = x, .y = y});
  return y;
}

// Keeps the scores of keys up to the query, and replaces later ones with the least constant.
DnnTensorIndex causal(DnnGraph& graph, DnnTensorIndex scores) {
  const auto index = [&](std::int64_t axis) {
    const DnnTensorIndex y = graph.like(scores, dnn::kInt32);
    graph.operations.push_back(
        {.mode = dnn::kGenIndex, .compute = dnn::kFloat, .axis = axis, .x = scores, .y = y});
    return y;
  };
  const DnnTensorIndex row = index(2);
  const DnnTensorIndex column = index(3);
  const DnnTensorIndex is_past = graph.like(scores, dnn::kBoolean);
  graph.operations.push_back({.mode = dnn::kGreaterOrEqual,
                              .compute = dnn::kBoolean,
                              .x = row,
                              .b = column,
                              .y = is_past});
  const DnnTensorIndex least = graph.add(constant(std::numeric_limits<float>::lowest()));
  const DnnTensorIndex masked = graph.like(scores, dnn::kFloat);
  graph.operations.push_back({.mode = dnn::kSelect,
                              .compute = dnn::kFloat,
                              .x = scores,
                              .b = least,
                              .t = is_past,
                              .y = masked});
  return masked;
}

// The library recognises exactly this chain. The logarithm of the sum belongs to it although its
// result is not used.
DnnTensorIndex add_softmax(DnnGraph& graph, DnnTensorIndex scores, int out_type) {
  const DnnTensorIndex largest = reduction(graph, dnn::kReduceMax, scores);
  const DnnTensorIndex shifted =
      graph.pointwise(dnn::kSub, scores, largest, graph.like(scores, dnn::kFloat));
  const DnnTensorIndex weights =
      graph.pointwise(dnn::kExp, shifted, kNoTensor, graph.like(scores, dnn::kFloat));
  const DnnTensorIndex sum = reduction(graph, dnn::kReduceAdd, weights);
  const DnnTensorIndex log =
      graph.pointwise(dnn::kLog, sum, kNoTensor, graph.like(sum, dnn::kFloat));
  graph.pointwise(dnn::kAdd, largest, log, graph.like(sum, dnn::kFloat));
  return graph.pointwise(dnn::kDiv, weights, sum, graph.like(scores, out_type));
}

// Axes in the library's order (channels second), the channels next to each other in memory.
DnnTensor image(std::string name, std::int64_t n, std::int64_t channels, std::int64_t height,
                std::int64_t width, int type) {
  return {.name = std::move(name),
          .dims = {n, channels, height, width},
          .strides = {height * width * channels, 1, width * channels, channels},
          .type = type};
}

}  // namespace

DnnTensorIndex DnnGraph::add(DnnTensor tensor) {
  tensors.push_back(std::move(tensor));
  return static_cast<DnnTensorIndex>(tensors.size() - 1);
}

DnnTensorIndex DnnGraph::like(DnnTensorIndex other, int type) {
  const DnnTensor& model = tensors[place_of(other)];
  return add(between(model.dims, model.strides, type));
}

DnnTensorIndex DnnGraph::pointwise(int mode, DnnTensorIndex x, DnnTensorIndex b, DnnTensorIndex y) {
  operations.push_back({.mode = mode, .compute = dnn::kFloat, .x = x, .b = b, .y = y});
  return y;
}

DnnGraph attention_graph(const Shape& shape, DType dtype) {
  const std::int64_t batch = shape[0], sequence = shape[1], heads = shape[2], width = shape[3];
  const int type = dnn_type(dtype);
  DnnGraph graph;
  graph.dtype = dtype;
  const Dims dims = {batch, heads, sequence, width};
  const Dims strides = {sequence * heads * width, width, heads * width, 1};
  const DnnTensorIndex q = graph.add({.name = "q", .dims = dims, .strides = strides, .type = type});
  // Transposed, so that queries times keys is a matrix product.
  const DnnTensorIndex k =
      graph.add({.name = "k",
                 .dims = {batch, heads, width, sequence},
                 .strides = {sequence * heads * width, width, 1, heads * width},
                 .type = type});
  const DnnTensorIndex v = graph.add({.name = "v", .dims = dims, .strides = strides, .type = type});
  const DnnTensorIndex out =
      graph.add({.name = "out",
                 .dims = dims,
                 .strides = {heads * sequence * width, sequence * width, width, 1},
                 .type = type});
  const auto product = [&](DnnTensorIndex a, DnnTensorIndex b, DnnTensorIndex y) {
    graph.operations.push_back(
        {.kind = DnnOperation::Kind::kMatmul, .compute = dnn::kFloat, .x = a, .b = b, .y = y});
  };
  const DnnTensorIndex scores = graph.add(
      between({batch, heads, sequence, sequence},
              {heads * sequence * sequence, sequence * sequence, sequence, 1}, dnn::kFloat));
  product(q, k, scores);
  const DnnTensorIndex scale = graph.add(constant(1.0f / std::sqrt(static_cast<float>(width))));
  const DnnTensorIndex scaled =
      graph.pointwise(dnn::kMul, scores, scale, graph.like(scores, dnn::kFloat));
  // The second product needs both sides in one type.
  product(add_softmax(graph, causal(graph, scaled), type), v, out);
  return graph;
}

bool has_bias(ConvolutionTail tail) {
  return tail == ConvolutionTail::kBias || tail == ConvolutionTail::kAddBias ||
         tail == ConvolutionTail::kBiasRelu;
}

DnnGraph convolution_graph(const Shape& shape, DType dtype, ConvolutionTail tail) {
  const std::int64_t n = shape[0], height = shape[1], width = shape[2], channels = shape[3];
  const std::int64_t filters = shape[4], window = shape[5], stride = shape[6];
  const std::int64_t p = convolved(height, window, stride), q = convolved(width, window, stride);
  const int type = dnn_type(dtype);
  DnnGraph graph;
  graph.dtype = dtype;
  const DnnTensorIndex x = graph.add(image("x", n, channels, height, width, type));
  const DnnTensorIndex w = graph.add(image("w", filters, channels, window, window, type));
  const DnnTensorIndex out = graph.add(image("out", n, filters, p, q, type));
  const bool adds = tail == ConvolutionTail::kAdd || tail == ConvolutionTail::kAddBias;
  const bool has_relu = tail == ConvolutionTail::kRelu || tail == ConvolutionTail::kBiasRelu;
  int left = (adds ? 1 : 0) + (has_bias(tail) ? 1 : 0) + (has_relu ? 1 : 0);  // operations to come
  const auto next = [&] { return left-- == 0 ? out : graph.like(out, dnn::kFloat); };
  DnnTensorIndex y = next();
  graph.operations.push_back({.kind = DnnOperation::Kind::kConvolution,
                              .compute = dnn::kFloat,
                              .x = x,
                              .b = w,
                              .y = y,
                              .padding = window / 2,
                              .stride = stride});
  if (adds) {
    y = graph.pointwise(dnn::kAdd, y, graph.add(image("D", n, filters, p, q, type)), next());
  }
  if (has_bias(tail)) {
    y = graph.pointwise(dnn::kAdd, y, graph.add(image("bias", 1, filters, 1, 1, type)), next());
  }
  if (has_relu) graph.pointwise(dnn::kRelu, y, kNoTensor, next());
  return graph;
}

}  // namespace strobe::bench
