#include "strobe/bench/providers/cuda/dnn_graph_description.h"

#include <utility>

#include "strobe/base/check.h"

namespace strobe::bench {
namespace {

class GraphMaker {
 public:
  GraphMaker(const CudnnApi& api, const DnnGraph& graph, std::vector<OwnedDescriptor>& parts)
      : api_(api), graph_(graph), parts_(parts) {}

  Result<DnnDescriptor> make(const DnnTarget& target) {
    for (std::size_t i = 0; i < graph_.tensors.size(); ++i) {
      STROBE_TRY(const DnnDescriptor tensor, tensor_of(i));
      tensors_.push_back(tensor);
    }
    std::vector<DnnDescriptor> operations;
    for (const DnnOperation& operation : graph_.operations) {
      STROBE_TRY(const DnnDescriptor made, operation_of(operation));
      operations.push_back(made);
    }
    DescriptorMaker maker(api_, dnn::kOperationGraph, "describing the graph");
    if (target.handle != nullptr) {
      maker.set(dnn::kGraphHandle, dnn::kTypeHandle, 1, &target.handle);
    }
    maker.set(dnn::kGraphOperations, dnn::kTypeDescriptor,
              static_cast<std::int64_t>(operations.size()), operations.data());
    return keep(maker.finish());
  }

 private:
  Result<DnnDescriptor> keep(Result<OwnedDescriptor> made) {
    STROBE_TRY(OwnedDescriptor descriptor, std::move(made));
    parts_.push_back(std::move(descriptor));
    return parts_.back().get();
  }

  Result<DnnDescriptor> tensor_of(std::size_t index) {
    constexpr std::int64_t kAlignment = 16;
    const DnnTensor& tensor = graph_.tensors[index];
    DescriptorMaker maker(api_, dnn::kTensor, "describing a tensor");
    maker.choice(dnn::kTensorDataType, dnn::kTypeDataType, tensor.type)
        .numbers(dnn::kTensorDimensions, tensor.dims)
        .numbers(dnn::kTensorStrides, tensor.strides)
        .number(dnn::kTensorUniqueId, graph_.uid(static_cast<DnnTensorIndex>(index)))
        .number(dnn::kTensorByteAlignment, kAlignment)
        .truth(dnn::kTensorIsVirtual, tensor.is_virtual);
    if (tensor.is_number) maker.truth(dnn::kTensorIsByValue, true);
    return keep(maker.finish());
  }

  DnnDescriptor tensor(DnnTensorIndex index) const {
    STROBE_CHECK(index >= 0, "an operation names its tensors");
    return tensors_[static_cast<std::size_t>(index)];
  }

  Result<DnnDescriptor> operation_of(const DnnOperation& operation) {
    switch (operation.kind) {
      case DnnOperation::Kind::kMatmul:
        return matmul_of(operation);
      case DnnOperation::Kind::kPointwise:
        return pointwise_of(operation);
      case DnnOperation::Kind::kReduction:
        return reduction_of(operation);
      case DnnOperation::Kind::kConvolution:
        break;
    }
    return convolution_of(operation);
  }

  Result<DnnDescriptor> matmul_of(const DnnOperation& operation) {
    DescriptorMaker kind(api_, dnn::kMatmul, "describing a product");
    kind.choice(dnn::kMatmulComputeType, dnn::kTypeDataType, operation.compute);
    STROBE_TRY(const DnnDescriptor matmul, keep(kind.finish()));
    DescriptorMaker maker(api_, dnn::kOperationMatmul, "describing a product");
    maker.part(dnn::kOperationMatmulA, tensor(operation.x))
        .part(dnn::kOperationMatmulB, tensor(operation.b))
        .part(dnn::kOperationMatmulC, tensor(operation.y))
        .part(dnn::kOperationMatmulDescriptor, matmul);
    return keep(maker.finish());
  }

  Result<DnnDescriptor> pointwise_of(const DnnOperation& operation) {
    DescriptorMaker kind(api_, dnn::kPointwise, "describing an operation");
    kind.choice(dnn::kPointwiseMode, dnn::kTypePointwiseMode, operation.mode)
        .choice(dnn::kPointwiseMathPrecision, dnn::kTypeDataType, operation.compute);
    if (operation.axis >= 0) kind.number(dnn::kPointwiseAxis, operation.axis);
    STROBE_TRY(const DnnDescriptor pointwise, keep(kind.finish()));
    DescriptorMaker maker(api_, dnn::kOperationPointwise, "describing an operation");
    maker.part(dnn::kOperationPointwiseDescriptor, pointwise)
        .part(dnn::kOperationPointwiseX, tensor(operation.x))
        .part(dnn::kOperationPointwiseY, tensor(operation.y));
    if (operation.b != kNoTensor) maker.part(dnn::kOperationPointwiseB, tensor(operation.b));
    if (operation.t != kNoTensor) maker.part(dnn::kOperationPointwiseT, tensor(operation.t));
    return keep(maker.finish());
  }

  Result<DnnDescriptor> reduction_of(const DnnOperation& operation) {
    DescriptorMaker kind(api_, dnn::kReduction, "describing a reduction");
    kind.choice(dnn::kReductionOperator, dnn::kTypeReductionOperator, operation.mode)
        .choice(dnn::kReductionComputeType, dnn::kTypeDataType, operation.compute);
    STROBE_TRY(const DnnDescriptor reduction, keep(kind.finish()));
    DescriptorMaker maker(api_, dnn::kOperationReduction, "describing a reduction");
    maker.part(dnn::kOperationReductionX, tensor(operation.x))
        .part(dnn::kOperationReductionY, tensor(operation.y))
        .part(dnn::kOperationReductionDescriptor, reduction);
    return keep(maker.finish());
  }

  Result<DnnDescriptor> convolution_of(const DnnOperation& operation) {
    const std::vector<std::int64_t> ones = {1, 1};
    const std::vector<std::int64_t> strides = {operation.stride, operation.stride};
    const std::vector<std::int64_t> paddings = {operation.padding, operation.padding};
    DescriptorMaker kind(api_, dnn::kConvolution, "describing a convolution");
    kind.choice(dnn::kConvolutionComputeType, dnn::kTypeDataType, operation.compute)
        .choice(dnn::kConvolutionMode, dnn::kTypeConvolutionMode, dnn::kCrossCorrelation)
        .number(dnn::kConvolutionSpatialDims, 2)
        .numbers(dnn::kConvolutionDilations, ones)
        .numbers(dnn::kConvolutionStrides, strides)
        .numbers(dnn::kConvolutionPrePaddings, paddings)
        .numbers(dnn::kConvolutionPostPaddings, paddings);
    STROBE_TRY(const DnnDescriptor convolution, keep(kind.finish()));
    DescriptorMaker maker(api_, dnn::kOperationConvolutionForward, "describing a convolution");
    maker.part(dnn::kForwardConvolution, convolution)
        .part(dnn::kForwardX, tensor(operation.x))
        .part(dnn::kForwardW, tensor(operation.b))
        .part(dnn::kForwardY, tensor(operation.y))
        .real(dnn::kForwardAlpha, 1)
        .real(dnn::kForwardBeta, 0);
    return keep(maker.finish());
  }

  const CudnnApi& api_;
  const DnnGraph& graph_;
  std::vector<OwnedDescriptor>& parts_;
  std::vector<DnnDescriptor> tensors_;
};

}  // namespace

Result<DnnDescriptor> describe_graph(const CudnnApi& api, const DnnTarget& target,
                                     const DnnGraph& graph, std::vector<OwnedDescriptor>& parts) {
  return GraphMaker(api, graph, parts).make(target);
}

}  // namespace strobe::bench
