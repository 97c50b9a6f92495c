#include <utility>

#include "strobe/bench/providers/cuda/library_calls.h"
#include "strobe/bench/providers/cuda/library_kernels.h"
#include "strobe/bench/providers/cuda/library_steps.h"
#include "strobe/bench/reference/input_tensors.h"
#include "strobe/bench/reference/reference.h"

namespace strobe::bench {
namespace {

constexpr std::size_t kMostWorkspace = std::size_t{64} << 20;

}  // namespace

std::vector<CallBuffer> case_buffers(const CaseInfo& info, const Shape& shape) {
  std::vector<CallBuffer> buffers;
  for (const InputTensor& input : input_tensors(info, shape)) {
    buffers.push_back({.name = input.name,
                       .columns = input.elements,
                       .number = static_cast<std::uint32_t>(buffers.size()),
                       .is_far_from_zero = input.is_far_from_zero});
  }
  const OutputLayout out = output_layouts(info, shape).front();
  buffers.push_back(
      {.name = "out", .role = CallBuffer::Role::kOutput, .rows = out.rows, .columns = out.columns});
  return buffers;
}

Result<LibraryCall> matmul_call(const std::shared_ptr<CudaSession>& session,
                                VendorLibraries& libraries, const CallRequest& request) {
  STROBE_TRY(const std::shared_ptr<CublasLtLibrary> library, libraries.cublaslt(session));
  const std::int64_t m = request.shape[0], n = request.shape[1], k = request.shape[2];
  LibraryCall call;
  call.math = "f32 accumulation";
  call.buffers = case_buffers(request.info, request.shape);
  const auto between = [&](const char* name) {
    call.buffers.push_back(
        {.name = name, .role = CallBuffer::Role::kBetween, .rows = m, .columns = n});
  };
  const auto product = [&](GemmProblem problem, GemmStep::Names names) -> Result<void> {
    problem.dtype = request.dtype;
    STROBE_TRY(Gemm gemm, Gemm::make(library->api(), library->handle(), problem, kMostWorkspace));
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

}  // namespace strobe::bench
