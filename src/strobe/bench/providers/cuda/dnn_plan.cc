#include "strobe/bench/providers/cuda/dnn_plan.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "strobe/base/check.h"

namespace strobe::bench {
OwnedDescriptor::OwnedDescriptor(OwnedDescriptor&& other) noexcept
    : api_(other.api_), descriptor_(std::exchange(other.descriptor_, nullptr)) {}

OwnedDescriptor& OwnedDescriptor::operator=(OwnedDescriptor&& other) noexcept {
  std::swap(api_, other.api_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

OwnedDescriptor::~OwnedDescriptor() {
  if (descriptor_ != nullptr) api_->descriptor_destroy(descriptor_);
}

DescriptorMaker::DescriptorMaker(const CudnnApi& api, int type, std::string_view doing)
    : api_(api), doing_(doing) {
  DnnDescriptor descriptor = nullptr;
  result_ =
      api.check(api.descriptor_create(type, &descriptor), "cudnnBackendCreateDescriptor", doing);
  if (result_) descriptor_ = OwnedDescriptor(api, descriptor);
}

DescriptorMaker& DescriptorMaker::set(int attribute, int type, std::int64_t count,
                                      const void* values) {
  if (result_) {
    result_ = api_.check(api_.attribute_set(descriptor_.get(), attribute, type, count, values),
                         fmt::format("cudnnBackendSetAttribute({})", attribute), doing_);
  }
  return *this;
}

Result<OwnedDescriptor> DescriptorMaker::finish() {
  STROBE_TRY_VOID(result_);
  STROBE_TRY_VOID(
      api_.check(api_.descriptor_finalize(descriptor_.get()), "cudnnBackendFinalize", doing_));
  return std::move(descriptor_);
}

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
    constexpr std::int64_t kTensorAlignment = 16;
    const DnnTensor& tensor = graph_.tensors[index];
    DescriptorMaker maker(api_, dnn::kTensor, "describing a tensor");
    maker.choice(dnn::kTensorDataType, dnn::kTypeDataType, tensor.type)
        .numbers(dnn::kTensorDimensions, tensor.dims)
        .numbers(dnn::kTensorStrides, tensor.strides)
        .number(dnn::kTensorUniqueId, graph_.uid(static_cast<DnnTensorIndex>(index)))
        .number(dnn::kTensorByteAlignment, kTensorAlignment)
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

namespace {

// The library's proposals in one of its modes.
Result<std::vector<OwnedDescriptor>> proposals(const CudnnApi& api, DnnDescriptor graph,
                                               DnnDescriptor device, int mode) {
  constexpr std::int64_t kMost = 32;
  constexpr std::string_view kDoing = "asking for engines";
  DescriptorMaker maker(api, dnn::kEngineHeuristics, kDoing);
  maker.part(dnn::kHeuristicsGraph, graph)
      .choice(dnn::kHeuristicsMode, dnn::kTypeHeuristicsMode, mode);
  if (device != nullptr) maker.part(dnn::kHeuristicsDevice, device);
  STROBE_TRY(const OwnedDescriptor heuristics, maker.finish());
  // The library fills descriptors that the caller created.
  std::vector<OwnedDescriptor> configs;
  std::vector<DnnDescriptor> handles;
  for (std::int64_t i = 0; i < kMost; ++i) {
    DnnDescriptor config = nullptr;
    STROBE_TRY_VOID(api.check(api.descriptor_create(dnn::kEngineConfig, &config),
                              "cudnnBackendCreateDescriptor", kDoing));
    configs.emplace_back(api, config);
    handles.push_back(config);
  }
  std::int64_t count = 0;
  STROBE_TRY_VOID(api.check(api.attribute_get(heuristics.get(), dnn::kHeuristicsResults,
                                              dnn::kTypeDescriptor, kMost, &count, handles.data()),
                            "cudnnBackendGetAttribute", kDoing));
  configs.resize(static_cast<std::size_t>(std::clamp<std::int64_t>(count, 0, kMost)));
  return configs;
}

struct Engine {
  std::int64_t index = -1;
  std::vector<int> notes;
};

Result<Engine> engine_of(const CudnnApi& api, DnnDescriptor config) {
  constexpr std::string_view kDoing = "asking what an engine does";
  DnnDescriptor made = nullptr;
  STROBE_TRY_VOID(api.check(api.descriptor_create(dnn::kEngine, &made),
                            "cudnnBackendCreateDescriptor", kDoing));
  const OwnedDescriptor engine(api, made);
  std::int64_t count = 0;
  STROBE_TRY_VOID(api.check(
      api.attribute_get(config, dnn::kEngineConfigEngine, dnn::kTypeDescriptor, 1, &count, &made),
      "cudnnBackendGetAttribute", kDoing));
  Engine facts;
  STROBE_TRY_VOID(api.check(
      api.attribute_get(made, dnn::kEngineGlobalIndex, dnn::kTypeInt64, 1, &count, &facts.index),
      "cudnnBackendGetAttribute", kDoing));
  std::array<int, dnn::kNumericalNotes> notes = {};
  STROBE_TRY_VOID(
      api.check(api.attribute_get(made, dnn::kEngineNumericalNotes, dnn::kTypeNumericalNote,
                                  dnn::kNumericalNotes, &count, notes.data()),
                "cudnnBackendGetAttribute", kDoing));
  facts.notes.assign(notes.begin(),
                     notes.begin() + std::clamp<std::int64_t>(count, 0, dnn::kNumericalNotes));
  return facts;
}

// For f32, tensor cores would drop bits: TF32 is another precision, so such engines are refused.
bool is_fair(const Engine& engine, DType dtype) {
  return std::ranges::none_of(engine.notes, [&](int note) {
    return note == dnn::kDownConvertsInputs || note == dnn::kReducedPrecisionReduction ||
           note == dnn::kNondeterministic || (note == dnn::kTensorCore && dtype == DType::kF32);
  });
}

Result<DnnPlan> plan_of(const CudnnApi& api, const DnnTarget& target, DnnDescriptor device,
                        DnnDescriptor config) {
  constexpr std::string_view kDoing = "making a plan";
  DescriptorMaker maker(api, dnn::kExecutionPlan, kDoing);
  if (target.handle != nullptr) {
    maker.set(dnn::kPlanHandle, dnn::kTypeHandle, 1, &target.handle);
  }
  maker.part(dnn::kPlanEngineConfig, config);
  if (device != nullptr) maker.part(dnn::kPlanDevice, device);
  DnnPlan plan;
  STROBE_TRY(plan.plan, maker.finish());
  std::int64_t count = 0;
  STROBE_TRY_VOID(api.check(api.attribute_get(plan.plan.get(), dnn::kPlanWorkspaceBytes,
                                              dnn::kTypeInt64, 1, &count, &plan.workspace_bytes),
                            "cudnnBackendGetAttribute", kDoing));
  return plan;
}

Error no_plan(const CudnnApi& api, std::size_t refused, const std::string& last) {
  return {.code = ErrorCode::kUnsupported,
          .what = refused == 0 ? "cuDNN has no engine for this on this GPU"
                               : fmt::format("none of the {} engines that cuDNN proposes runs "
                                             "this in its own precision and a small workspace",
                                             refused),
          .where = api.version_text(),
          .hint = last};
}

}  // namespace

Result<DnnPlans> DnnPlans::find(const CudnnApi& api, const DnnTarget& target, DnnGraph graph,
                                std::size_t most, std::int64_t most_workspace_bytes) {
  DnnPlans found;
  found.api_ = &api;
  found.graph_ = std::make_unique<DnnGraph>(std::move(graph));
  STROBE_TRY(const DnnDescriptor made, describe_graph(api, target, *found.graph_, found.parts_));
  DnnDescriptor device = nullptr;
  if (target.handle == nullptr) {
    DescriptorMaker maker(api, dnn::kDeviceProperties, "describing a GPU");
    maker.set(dnn::kDevicePropertiesJson, dnn::kTypeChar,
              static_cast<std::int64_t>(target.device_json.size()), target.device_json.data());
    STROBE_TRY(OwnedDescriptor described, maker.finish());
    device = described.get();
    found.parts_.push_back(std::move(described));
  }
  std::size_t refused = 0;
  std::string last;
  for (const int mode : {dnn::kHeuristicsA, dnn::kHeuristicsFallback}) {
    auto configs = proposals(api, made, device, mode);
    if (!configs) {
      if (configs.error().code == ErrorCode::kOutOfMemory) return configs.error();
      last = configs.error().what;
      continue;
    }
    for (OwnedDescriptor& config : *configs) {
      if (found.plans_.size() == most) break;
      STROBE_TRY(const Engine engine, engine_of(api, config.get()));
      ++refused;
      if (!is_fair(engine, found.graph_->dtype)) {
        ++found.unfair_;
        continue;
      }
      auto plan = plan_of(api, target, device, config.get());
      if (!plan) {
        if (plan.error().code == ErrorCode::kOutOfMemory) return plan.error();
        last = plan.error().what;
        continue;
      }
      if (plan->workspace_bytes > most_workspace_bytes) continue;
      plan->engine = engine.index;
      --refused;
      found.plans_.push_back(std::move(*plan));
      found.parts_.push_back(std::move(config));
    }
    if (!found.plans_.empty()) break;
  }
  if (found.plans_.empty()) return no_plan(api, refused, last);
  return found;
}

Result<OwnedDescriptor> DnnPlans::pack(const AddressOf& address_of, CuPointer workspace) const {
  std::vector<std::int64_t> uids;
  std::vector<const void*> places;
  for (std::size_t i = 0; i < graph_->tensors.size(); ++i) {
    const DnnTensor& tensor = graph_->tensors[i];
    if (tensor.is_virtual) continue;
    uids.push_back(graph_->uid(static_cast<DnnTensorIndex>(i)));
    places.push_back(tensor.is_number ? static_cast<const void*>(&tensor.number)
                                      : reinterpret_cast<const void*>(address_of(tensor.name)));
  }
  const auto* const room = reinterpret_cast<const void*>(workspace);
  DescriptorMaker maker(*api_, dnn::kVariantPack, "handing over the tensors");
  maker.numbers(dnn::kPackUniqueIds, uids)
      .set(dnn::kPackPointers, dnn::kTypeVoidPointer, static_cast<std::int64_t>(places.size()),
           places.data())
      .set(dnn::kPackWorkspace, dnn::kTypeVoidPointer, 1, &room);
  return maker.finish();
}

Result<void> DnnPlans::enqueue(DnnHandle handle, std::size_t plan,
                               const OwnedDescriptor& pack) const {
  return api_->check(api_->execute(handle, plans_[plan].plan.get(), pack.get()),
                     "cudnnBackendExecute", "queueing a call");
}

}  // namespace strobe::bench
