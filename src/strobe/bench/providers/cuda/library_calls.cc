#include "strobe/bench/providers/cuda/library_calls.h"

#include <cmath>
#include <utility>
#include <vector>

#include "strobe/bench/providers/cuda/glue_kernels.h"
#include "strobe/bench/providers/cuda/library_steps.h"
#include "strobe/bench/reference/input_tensors.h"
#include "strobe/bench/reference/reference.h"

namespace strobe::bench {
namespace {

constexpr std::size_t kMostLtWorkspace = std::size_t{64} << 20;
constexpr std::int64_t kMostDnnWorkspace = std::int64_t{256} << 20;
// Some plans of a graph take a second to compile; for attention, all do.
constexpr std::size_t kMostConvolutionPlans = 5;
constexpr std::size_t kMostAttentionPlans = 3;

}  // namespace

std::vector<CellTensor> case_tensors(const CaseInfo& info, const Shape& shape) {
  std::vector<CellTensor> buffers;
  for (const InputTensor& input : input_tensors(info, shape)) {
    buffers.push_back({.name = input.name,
                       .columns = input.elements,
                       .number = static_cast<std::uint32_t>(buffers.size()),
                       .is_far_from_zero = input.is_far_from_zero});
  }
  const OutputLayout out = output_layouts(info, shape).front();
  buffers.push_back(
      {.name = "out", .role = CellTensor::Role::kOutput, .rows = out.rows, .columns = out.columns});
  return buffers;
}

Result<LibraryCall> matmul_call(const std::shared_ptr<CudaSession>& session,
                                VendorLibraries& libraries, const CallRequest& request) {
  STROBE_TRY(const std::shared_ptr<CublasLtLibrary> library, libraries.cublaslt(session));
  const std::int64_t m = request.shape[0], n = request.shape[1], k = request.shape[2];
  LibraryCall call;
  call.math = "f32 accumulation";
  call.tensors = case_tensors(request.info, request.shape);
  const auto between = [&](const char* name) {
    call.tensors.push_back(
        {.name = name, .role = CellTensor::Role::kBetween, .rows = m, .columns = n});
  };
  const auto product = [&](GemmProblem problem, GemmStep::Names names) -> Result<void> {
    problem.dtype = request.dtype;
    STROBE_TRY(Gemm gemm, Gemm::make(library->api(), library->handle(), problem, kMostLtWorkspace));
    call.steps.push_back(std::make_unique<GemmStep>(library, std::move(gemm), std::move(names)));
    return {};
  };
  const auto kernel = [&](GeneratedKernel made) {
    call.steps.push_back(std::make_unique<KernelStep>(session->device(), std::move(made)));
  };

  if (request.info.id == "matmul_matmul") {
    between("AB");
    STROBE_TRY_VOID(product({.m = m, .n = n, .k = k}, {"A", "B", "", "AB"}));
    STROBE_TRY_VOID(product({.m = m, .n = k, .k = n}, {"AB", "W", "", "out"}));
    return call;
  }
  const bool adds = request.info.id == "matmul_add" || request.info.id == "matmul_add_relu";
  const bool has_relu = request.info.id == "matmul_relu" || request.info.id == "matmul_add_relu";
  if (request.fusion == Fusion::kFused) {
    STROBE_TRY_VOID(product({.m = m, .n = n, .k = k, .adds = adds, .has_relu = has_relu},
                            {"A", "B", adds ? "D" : "", "out"}));
    return call;
  }
  between("AB");
  STROBE_TRY_VOID(product({.m = m, .n = n, .k = k}, {"A", "B", "", "AB"}));
  if (adds && has_relu) between("sum");
  if (adds) kernel(kernels::add(request.dtype, "AB", "D", has_relu ? "sum" : "out", m * n));
  if (has_relu) kernel(kernels::relu(request.dtype, adds ? "sum" : "AB", "out", m * n));
  return call;
}

namespace {

// Alternative graphs for one result. Those with a bias, which may be zeros, run on precompiled
// kernels in every type; those without are compiled for the tensor cores.
std::vector<ConvolutionTail> tails_of(std::string_view case_id, Fusion fusion) {
  if (fusion == Fusion::kUnfused) return {ConvolutionTail::kNone};
  if (case_id == "conv_add") return {ConvolutionTail::kAdd, ConvolutionTail::kAddBias};
  if (case_id == "conv_relu") return {ConvolutionTail::kRelu, ConvolutionTail::kBiasRelu};
  return {ConvolutionTail::kBias};
}

// The plans of all graphs that the library accepts; the last refusal if it accepts none.
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
                                std::move(graph), kMostConvolutionPlans, kMostDnnWorkspace);
    if (plans) {
      found.push_back(std::move(*plans));
      continue;
    }
    if (plans.error().code != ErrorCode::kUnsupported) return plans.error();
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
  call.tensors = case_tensors(request.info, request.shape);
  const CellTensor out = call.tensors.back();
  const auto prepare = [&](const char* name, std::int64_t columns, GeneratedKernel kernel) {
    call.tensors.push_back({.name = name, .role = CellTensor::Role::kPrepared, .columns = columns});
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

  CellTensor between = out;
  between.name = "y";
  between.role = CellTensor::Role::kBetween;
  call.tensors.push_back(std::move(between));
  const std::int64_t elements = out.elements();
  GeneratedKernel last = is_norm ? kernels::batch_norm(request.dtype, "y", "out", elements, filters)
                         : request.info.id == "conv_add"
                             ? kernels::add(request.dtype, "y", "D", "out", elements)
                             : kernels::relu(request.dtype, "y", "out", elements);
  call.steps.push_back(std::make_unique<KernelStep>(session->device(), std::move(last)));
  return call;
}

namespace {

Result<LibraryCall> attention_by_cudnn(const std::shared_ptr<CudaSession>& session,
                                       VendorLibraries& libraries, const CallRequest& request) {
  STROBE_TRY(const std::shared_ptr<CudnnLibrary> library, libraries.cudnn(session));
  if (request.dtype == DType::kF32) {
    return Error{.code = ErrorCode::kUnsupported,
                 .what = "cuDNN's fused attention takes f16 and bf16, not f32",
                 .where = library->api().version_text(),
                 .hint = ""};
  }
  STROBE_TRY(DnnPlans plans,
             DnnPlans::find(library->api(), {.handle = library->handle(), .device_json = ""},
                            attention_graph(request.shape, request.dtype), kMostAttentionPlans,
                            kMostDnnWorkspace));
  LibraryCall call;
  call.math = "f32 accumulation";
  call.tensors = case_tensors(request.info, request.shape);
  std::vector<DnnPlans> graphs;
  graphs.push_back(std::move(plans));
  call.steps.push_back(std::make_unique<DnnStep>(library, std::move(graphs)));
  return call;
}

// As an eager framework does it: heads first, product, scale, mask, softmax, product. Only two of
// the square tensors exist at a time, as with the framework's allocator.
Result<LibraryCall> attention_by_cublaslt(const std::shared_ptr<CudaSession>& session,
                                          VendorLibraries& libraries, const CallRequest& request) {
  STROBE_TRY(const std::shared_ptr<CublasLtLibrary> library, libraries.cublaslt(session));
  const std::int64_t sequence = request.shape[1], width = request.shape[3];
  const std::int64_t heads = request.shape[0] * request.shape[2];
  const std::int64_t square = sequence * sequence;
  const std::int64_t scores = heads * square;
  const DType dtype = request.dtype;
  LibraryCall call;
  call.math = "f32 accumulation";
  call.tensors = case_tensors(request.info, request.shape);
  const auto between = [&](const char* name, std::int64_t rows, std::int64_t columns) {
    call.tensors.push_back(
        {.name = name, .role = CellTensor::Role::kBetween, .rows = rows, .columns = columns});
  };
  const auto kernel = [&](GeneratedKernel made) {
    call.steps.push_back(std::make_unique<KernelStep>(session->device(), std::move(made)));
  };
  const auto product = [&](GemmProblem problem, GemmStep::Names names) -> Result<void> {
    problem.batch = heads;
    problem.dtype = dtype;
    STROBE_TRY(Gemm gemm, Gemm::make(library->api(), library->handle(), problem, kMostLtWorkspace));
    call.steps.push_back(std::make_unique<GemmStep>(library, std::move(gemm), std::move(names)));
    return {};
  };

  for (const char* name : {"q_heads", "k_heads", "v_heads"}) between(name, heads * sequence, width);
  between("scores", heads * sequence, sequence);
  between("weights", heads * sequence, sequence);
  call.tensors.push_back(
      {.name = "mask", .role = CellTensor::Role::kPrepared, .rows = sequence, .columns = sequence});
  call.preparation.push_back(std::make_unique<KernelStep>(
      session->device(), kernels::causal_mask(dtype, "mask", sequence)));

  kernel(kernels::heads_first(dtype, "q", "q_heads", request.shape));
  kernel(kernels::heads_first(dtype, "k", "k_heads", request.shape));
  kernel(kernels::heads_first(dtype, "v", "v_heads", request.shape));
  STROBE_TRY_VOID(product({.m = sequence, .n = sequence, .k = width, .is_right_transposed = true},
                          {"q_heads", "k_heads", "", "scores"}));
  const float factor = 1.0f / std::sqrt(static_cast<float>(width));
  kernel(kernels::scale(dtype, "scores", "weights", factor, scores));
  kernel(kernels::add_mask(dtype, "weights", "mask", "scores", scores, square));
  kernel(kernels::softmax(dtype, "scores", "weights", heads * sequence, sequence));
  STROBE_TRY_VOID(
      product({.m = sequence, .n = width, .k = sequence}, {"weights", "v_heads", "", "out"}));
  return call;
}

}  // namespace

Result<LibraryCall> attention_call(const std::shared_ptr<CudaSession>& session,
                                   VendorLibraries& libraries, const CallRequest& request) {
  return request.fusion == Fusion::kFused ? attention_by_cudnn(session, libraries, request)
                                          : attention_by_cublaslt(session, libraries, request);
}

}  // namespace strobe::bench
