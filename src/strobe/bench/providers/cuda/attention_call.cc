#include <cmath>
#include <utility>
#include <vector>

#include "strobe/bench/providers/cuda/library_calls.h"
#include "strobe/bench/providers/cuda/library_kernels.h"
#include "strobe/bench/providers/cuda/library_steps.h"

namespace strobe::bench {
namespace {

constexpr std::size_t kMostPlans = 3;  // each compiles for a second or so
constexpr std::int64_t kMostDnnWorkspace = std::int64_t{256} << 20;
constexpr std::size_t kMostLtWorkspace = std::size_t{64} << 20;

Result<LibraryCall> fused_attention(const std::shared_ptr<CudaSession>& session,
                                    VendorLibraries& libraries, const CallRequest& request) {
  STROBE_TRY(const std::shared_ptr<CudnnLibrary> library, libraries.cudnn(session));
  if (request.dtype == DType::kF32) {
    return Error{.code = ErrorCode::kNotFound,
                 .what = "cuDNN's fused attention takes f16 and bf16, not f32",
                 .where = library->api().version_text(),
                 .hint = ""};
  }
  STROBE_TRY(
      DnnPlans plans,
      DnnPlans::find(library->api(), {.handle = library->handle(), .device_json = ""},
                     attention_graph(request.shape, request.dtype), kMostPlans, kMostDnnWorkspace));
  LibraryCall call;
  call.math = "f32 accumulation";
  call.buffers = case_buffers(request.info, request.shape);
  std::vector<DnnPlans> graphs;
  graphs.push_back(std::move(plans));
  call.steps.push_back(std::make_unique<DnnStep>(library, std::move(graphs)));
  return call;
}

// As an eager framework does it: heads first, product, scale, mask, softmax, product. Of the square
// tensors two are alive at a time, as the framework's allocator would have it.
Result<LibraryCall> unfused_attention(const std::shared_ptr<CudaSession>& session,
                                      VendorLibraries& libraries, const CallRequest& request) {
  STROBE_TRY(const std::shared_ptr<CublasLtLibrary> library, libraries.cublaslt(session));
  const std::int64_t sequence = request.shape[1], width = request.shape[3];
  const std::int64_t heads = request.shape[0] * request.shape[2];
  const std::int64_t square = sequence * sequence;
  const std::int64_t scores = heads * square;
  const DType dtype = request.dtype;
  LibraryCall call;
  call.math = "f32 accumulation";
  call.buffers = case_buffers(request.info, request.shape);
  const auto between = [&](const char* name, std::int64_t rows, std::int64_t columns) {
    call.buffers.push_back(
        {.name = name, .role = CallBuffer::Role::kBetween, .rows = rows, .columns = columns});
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
  call.buffers.push_back(
      {.name = "mask", .role = CallBuffer::Role::kPrepared, .rows = sequence, .columns = sequence});
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
  return request.fusion == Fusion::kFused ? fused_attention(session, libraries, request)
                                          : unfused_attention(session, libraries, request);
}

}  // namespace strobe::bench
