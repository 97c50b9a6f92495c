#include "strobe/bench/providers/cuda/gemm.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace strobe::bench {
namespace {

constexpr std::string_view kDescribing = "describing a product";

}  // namespace

Gemm::Descriptors::~Descriptors() {
  if (preference != nullptr) api.preference_destroy(preference);
  for (const LtLayout layout : {a, b, out}) {
    if (layout != nullptr) api.layout_destroy(layout);
  }
  if (matmul != nullptr) api.matmul_destroy(matmul);
}

Result<Gemm> Gemm::make(const CublasLtApi& api, LtHandle handle, const GemmProblem& problem,
                        std::size_t most_workspace_bytes) {
  Gemm gemm;
  gemm.handle_ = handle;
  gemm.problem_ = problem;
  gemm.parts_ = std::make_unique<Descriptors>(api);
  STROBE_TRY_VOID(gemm.describe(most_workspace_bytes));
  STROBE_TRY_VOID(gemm.ask());
  return gemm;
}

// The library is column-major, where each of our matrices is its own transpose: it computes
// out^T[n,m] = right^T[n,k] left^T[k,m], with our right as its A and our left as its B.
Result<void> Gemm::describe(std::size_t most_workspace_bytes) {
  STROBE_TRY_VOID(describe_product());
  STROBE_TRY(parts_->a, problem_.is_right_transposed ? layout(problem_.k, problem_.n)
                                                     : layout(problem_.n, problem_.k));
  STROBE_TRY(parts_->b, layout(problem_.k, problem_.m));
  STROBE_TRY(parts_->out, layout(problem_.n, problem_.m));
  const CublasLtApi& api = parts_->api;
  STROBE_TRY_VOID(api.check(api.preference_create(&parts_->preference),
                            "cublasLtMatmulPreferenceCreate", kDescribing));
  const std::uint64_t bytes = most_workspace_bytes;
  return api.check(
      api.preference_set(parts_->preference, lt::kMostWorkspaceBytes, &bytes, sizeof bytes),
      "cublasLtMatmulPreferenceSetAttribute", kDescribing);
}

Result<void> Gemm::describe_product() {
  const CublasLtApi& api = parts_->api;
  // Also for f32: TF32 would have fewer bits than the values.
  STROBE_TRY_VOID(api.check(api.matmul_create(&parts_->matmul, lt::kCompute32F, lt::kR32F),
                            "cublasLtMatmulDescCreate", kDescribing));
  const auto set = [&](int attribute, std::int32_t value) {
    return api.check(api.matmul_set(parts_->matmul, attribute, &value, sizeof value),
                     "cublasLtMatmulDescSetAttribute", kDescribing);
  };
  STROBE_TRY_VOID(set(lt::kTransposeA, problem_.is_right_transposed ? lt::kOperationTransposed
                                                                    : lt::kOperationNone));
  STROBE_TRY_VOID(set(lt::kTransposeB, lt::kOperationNone));
  return set(lt::kEpilogue, problem_.has_relu ? lt::kEpilogueRelu : lt::kEpilogueDefault);
}

Result<LtLayout> Gemm::layout(std::int64_t rows, std::int64_t columns) {
  const CublasLtApi& api = parts_->api;
  LtLayout made = nullptr;
  STROBE_TRY_VOID(
      api.check(api.layout_create(&made, lt_type(problem_.dtype), static_cast<std::uint64_t>(rows),
                                  static_cast<std::uint64_t>(columns), rows),
                "cublasLtMatrixLayoutCreate", kDescribing));
  if (problem_.batch == 1) return made;
  const auto set = [&](int attribute, const void* value, std::size_t bytes) {
    return api.check(api.layout_set(made, attribute, value, bytes),
                     "cublasLtMatrixLayoutSetAttribute", kDescribing);
  };
  const auto count = static_cast<std::int32_t>(problem_.batch);
  const std::int64_t stride = rows * columns;
  Result<void> result = set(lt::kBatchCount, &count, sizeof count);
  if (result) result = set(lt::kBatchStride, &stride, sizeof stride);
  if (!result) {
    api.layout_destroy(made);
    return result.error();
  }
  return made;
}

Result<void> Gemm::ask() {
  std::array<lt::HeuristicResult, kMostAlgorithms> results = {};
  int count = 0;
  const CublasLtApi& api = parts_->api;
  STROBE_TRY_VOID(api.check(
      api.heuristics(handle_, parts_->matmul, parts_->a, parts_->b, parts_->out, parts_->out,
                     parts_->preference, kMostAlgorithms, results.data(), &count),
      "cublasLtMatmulAlgoGetHeuristic", "asking for algorithms"));
  for (int i = 0; i < std::min(count, kMostAlgorithms); ++i) {
    const lt::HeuristicResult& result = results[static_cast<std::size_t>(i)];
    if (result.state == lt::kSuccess) found_.push_back(result);
  }
  if (found_.empty()) {
    return Error{.code = ErrorCode::kUnsupported,
                 .what = "cuBLASLt has no algorithm for this on this GPU",
                 .where = api.version_text(),
                 .hint = ""};
  }
  return {};
}

std::size_t Gemm::workspace_bytes() const {
  std::size_t most = 0;
  for (const lt::HeuristicResult& result : found_) most = std::max(most, result.workspace_bytes);
  return most;
}

std::string Gemm::algorithm_text(std::size_t algorithm) const {
  const auto fact = [&](int attribute) {
    std::int32_t value = 0;
    std::size_t written = 0;
    // Some of them are 16-bit numbers; the library refuses a larger buffer for those.
    const lt::Algorithm& asked = found_[algorithm].algorithm;
    if (parts_->api.algorithm_get(&asked, attribute, &value, sizeof value, &written) ==
        lt::kSuccess) {
      return static_cast<int>(value);
    }
    std::uint16_t small = 0;
    return parts_->api.algorithm_get(&asked, attribute, &small, sizeof small, &written) ==
                   lt::kSuccess
               ? static_cast<int>(small)
               : -1;
  };
  return fmt::format("algorithm {} tile {} stages {} split-k {} cluster {}, {} of {}",
                     fact(lt::kAlgorithmId), fact(lt::kAlgorithmTile), fact(lt::kAlgorithmStages),
                     fact(lt::kAlgorithmSplitK), fact(lt::kAlgorithmCluster), algorithm + 1,
                     found_.size());
}

Result<void> Gemm::enqueue(std::size_t algorithm, const GemmBuffers& buffers,
                           CuStream stream) const {
  const auto place = [](CuPointer address) { return reinterpret_cast<void*>(address); };
  const float alpha = 1;
  const float beta = problem_.adds ? 1.0f : 0.0f;
  const CublasLtApi& api = parts_->api;
  const lt::HeuristicResult& chosen = found_[algorithm];
  // If nothing is added, C is the same buffer as D: it is not read then, but it must be valid.
  return api.check(api.matmul(handle_, parts_->matmul, &alpha, place(buffers.right), parts_->a,
                              place(buffers.left), parts_->b, &beta,
                              place(problem_.adds ? buffers.added : buffers.out), parts_->out,
                              place(buffers.out), parts_->out, &chosen.algorithm,
                              place(buffers.workspace), chosen.workspace_bytes, stream),
                   "cublasLtMatmul", "queueing a product");
}

}  // namespace strobe::bench
