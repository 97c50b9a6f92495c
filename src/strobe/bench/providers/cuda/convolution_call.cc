#include <utility>
#include <vector>

#include "strobe/bench/providers/cuda/library_calls.h"
#include "strobe/bench/providers/cuda/library_kernels.h"
#include "strobe/bench/providers/cuda/library_steps.h"

namespace strobe::bench {
namespace {

constexpr std::size_t kMostPlans = 5;  // of a graph: some of them compile for a second
constexpr std::int64_t kMostWorkspace = std::int64_t{256} << 20;

// Graphs of one result. Those with a bias, which may be zeros, run on ready kernels in every type;
// those without are compiled for the tensor cores.
std::vector<ConvolutionTail> tails_of(std::string_view case_id, Fusion fusion) {
  if (fusion == Fusion::kUnfused) return {ConvolutionTail::kNone};
  if (case_id == "conv_add") return {ConvolutionTail::kAdd, ConvolutionTail::kAddBias};
  if (case_id == "conv_relu") return {ConvolutionTail::kRelu, ConvolutionTail::kBiasRelu};
  return {ConvolutionTail::kBias};
}

bool has_bias(ConvolutionTail tail) {
  return tail == ConvolutionTail::kBias || tail == ConvolutionTail::kAddBias ||
         tail == ConvolutionTail::kBiasRelu;
}

// Of all graphs that the library takes; the last refusal if it takes none.
Result<std::vector<DnnPlans>> plans_for(const CudnnLibrary& library, const CallRequest& request,
                                        bool reads_folded) {
  std::vector<DnnPlans> found;
  Result<void> refusal;
  for (const ConvolutionTail tail : tails_of(request.info.id, request.fusion)) {
    DnnGraph graph = convolution_graph(request.shape, request.dtype, tail);
    for (DnnTensor& tensor : graph.tensors) {
      if (tensor.name == "w" && reads_folded) tensor.name = "folded";
      if (tensor.name == "out" && request.fusion == Fusion::kUnfused) tensor.name = "y";
    }
    auto plans = DnnPlans::find(library.api(), {.handle = library.handle(), .device_json = ""},
                                std::move(graph), kMostPlans, kMostWorkspace);
    if (plans) {
      found.push_back(std::move(*plans));
      continue;
    }
    if (plans.error().code != ErrorCode::kNotFound) return plans.error();
    refusal = plans.error();
  }
  if (found.empty()) return refusal.error();
  return found;
}

}  // namespace

Result<LibraryCall> convolution_call(const std::shared_ptr<CudaSession>& session,
                                     VendorLibraries& libraries, const CallRequest& request) {
  STROBE_TRY(const std::shared_ptr<CudnnLibrary> library, libraries.cudnn(session));
  const std::int64_t filters = request.shape[4];
  const std::int64_t inner = request.shape[5] * request.shape[5] * request.shape[3];
  const bool is_norm = request.info.id == "conv_bn";
  const bool folds = is_norm && request.fusion == Fusion::kFused;
  LibraryCall call;
  call.math = "f32 accumulation";
  call.buffers = case_buffers(request.info, request.shape);
  const CallBuffer out = call.buffers.back();
  const auto prepare = [&](const char* name, std::int64_t columns, GeneratedKernel kernel) {
    call.buffers.push_back({.name = name, .role = CallBuffer::Role::kPrepared, .columns = columns});
    call.preparation.push_back(std::make_unique<KernelStep>(session->device(), std::move(kernel)));
  };

  STROBE_TRY(std::vector<DnnPlans> plans, plans_for(*library, request, folds));
  bool wants_bias = false;
  for (const ConvolutionTail tail : tails_of(request.info.id, request.fusion)) {
    wants_bias = wants_bias || has_bias(tail);
  }
  if (folds) {
    prepare("folded", filters * inner,
            kernels::folded_filters(request.dtype, "w", "folded", filters, inner));
    prepare("bias", filters, kernels::folded_bias(request.dtype, "bias", filters));
  } else if (wants_bias) {
    prepare("bias", filters, kernels::zeros(request.dtype, "bias", filters));
  }
  call.steps.push_back(std::make_unique<DnnStep>(library, std::move(plans)));
  if (request.fusion == Fusion::kFused) return call;

  CallBuffer between = out;
  between.name = "y";
  between.role = CallBuffer::Role::kBetween;
  call.buffers.push_back(std::move(between));
  const std::int64_t elements = out.elements();
  GeneratedKernel last = is_norm ? kernels::batch_norm(request.dtype, "y", "out", elements, filters)
                         : request.info.id == "conv_add"
                             ? kernels::add(request.dtype, "y", "D", "out", elements)
                             : kernels::relu(request.dtype, "y", "out", elements);
  call.steps.push_back(std::make_unique<KernelStep>(session->device(), std::move(last)));
  return call;
}

}  // namespace strobe::bench
