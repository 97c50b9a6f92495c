#include "strobe/bench/providers/cuda/cublaslt_api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/bench/providers/cuda/same_call.h"

#if __has_include(<cublasLt.h>)
#include <cublasLt.h>
#define STROBE_HAS_CUBLASLT_HEADER 1
#endif

namespace strobe::bench {
namespace {

using ::testing::HasSubstr;

#ifdef STROBE_HAS_CUBLASLT_HEADER

#define STROBE_IS(ours, theirs) \
  static_assert(static_cast<int>(lt::ours) == static_cast<int>(theirs))

STROBE_IS(kSuccess, CUBLAS_STATUS_SUCCESS);
STROBE_IS(kAllocationFailed, CUBLAS_STATUS_ALLOC_FAILED);
STROBE_IS(kNotSupported, CUBLAS_STATUS_NOT_SUPPORTED);
STROBE_IS(kR32F, CUDA_R_32F);
STROBE_IS(kR16F, CUDA_R_16F);
STROBE_IS(kR16BF, CUDA_R_16BF);
STROBE_IS(kCompute32F, CUBLAS_COMPUTE_32F);
STROBE_IS(kOperationNone, CUBLAS_OP_N);
STROBE_IS(kOperationTransposed, CUBLAS_OP_T);
STROBE_IS(kEpilogueDefault, CUBLASLT_EPILOGUE_DEFAULT);
STROBE_IS(kEpilogueRelu, CUBLASLT_EPILOGUE_RELU);
STROBE_IS(kTransposeA, CUBLASLT_MATMUL_DESC_TRANSA);
STROBE_IS(kTransposeB, CUBLASLT_MATMUL_DESC_TRANSB);
STROBE_IS(kEpilogue, CUBLASLT_MATMUL_DESC_EPILOGUE);
STROBE_IS(kBatchCount, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT);
STROBE_IS(kBatchStride, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);
STROBE_IS(kMostWorkspaceBytes, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
STROBE_IS(kAlgorithmId, CUBLASLT_ALGO_CONFIG_ID);
STROBE_IS(kAlgorithmTile, CUBLASLT_ALGO_CONFIG_TILE_ID);
STROBE_IS(kAlgorithmSplitK, CUBLASLT_ALGO_CONFIG_SPLITK_NUM);
STROBE_IS(kAlgorithmStages, CUBLASLT_ALGO_CONFIG_STAGES_ID);
STROBE_IS(kAlgorithmCluster, CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID);
static_assert(sizeof(lt::Algorithm) == sizeof(cublasLtMatmulAlgo_t));
static_assert(sizeof(lt::HeuristicResult) == sizeof(cublasLtMatmulHeuristicResult_t));
static_assert(offsetof(lt::HeuristicResult, workspace_bytes) ==
              offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize));
static_assert(offsetof(lt::HeuristicResult, state) ==
              offsetof(cublasLtMatmulHeuristicResult_t, state));
static_assert(offsetof(lt::HeuristicResult, waves) ==
              offsetof(cublasLtMatmulHeuristicResult_t, wavesCount));

#define STROBE_SAME(ours, theirs) \
  static_assert(SameCall<decltype(CublasLtApi::ours), decltype(&::theirs)>::value)

STROBE_SAME(version, cublasLtGetVersion);
STROBE_SAME(status_name, cublasLtGetStatusName);
STROBE_SAME(status_text, cublasLtGetStatusString);
STROBE_SAME(create, cublasLtCreate);
STROBE_SAME(destroy, cublasLtDestroy);
STROBE_SAME(matmul_create, cublasLtMatmulDescCreate);
STROBE_SAME(matmul_destroy, cublasLtMatmulDescDestroy);
STROBE_SAME(matmul_set, cublasLtMatmulDescSetAttribute);
STROBE_SAME(layout_create, cublasLtMatrixLayoutCreate);
STROBE_SAME(layout_destroy, cublasLtMatrixLayoutDestroy);
STROBE_SAME(layout_set, cublasLtMatrixLayoutSetAttribute);
STROBE_SAME(preference_create, cublasLtMatmulPreferenceCreate);
STROBE_SAME(preference_destroy, cublasLtMatmulPreferenceDestroy);
STROBE_SAME(preference_set, cublasLtMatmulPreferenceSetAttribute);
STROBE_SAME(heuristics, cublasLtMatmulAlgoGetHeuristic);
STROBE_SAME(algorithm_get, cublasLtMatmulAlgoConfigGetAttribute);
STROBE_SAME(matmul, cublasLtMatmul);

#undef STROBE_SAME
#undef STROBE_IS
#endif

CublasLtApi lt_speaking() {
  CublasLtApi api;
  api.version = [] { return std::size_t{130100}; };
  api.status_name = [](LtStatus) { return "CUBLAS_STATUS_OF_A_TEST"; };
  api.status_text = [](LtStatus) { return "because"; };
  return api;
}

TEST(CublasLtApi, an_error_carries_the_librarys_own_words_and_version) {
  const auto result = lt_speaking().check(13, "cublasLtMatmul", "queueing a product");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().what,
            "cublasLtMatmul gives CUBLAS_STATUS_OF_A_TEST (13: because) while queueing a product");
  EXPECT_EQ(result.error().where, "cuBLASLt 13.1.0");
  EXPECT_EQ(result.error().code, ErrorCode::kMalformed);
  EXPECT_TRUE(lt_speaking().check(lt::kSuccess, "", ""));
}

TEST(CublasLtApi, memory_and_support_are_told_apart_from_other_errors) {
  EXPECT_EQ(lt_speaking().check(lt::kAllocationFailed, "", "").error().code,
            ErrorCode::kOutOfMemory);
  EXPECT_EQ(lt_speaking().check(lt::kNotSupported, "", "").error().code, ErrorCode::kUnsupported);
}

TEST(CublasLtApi, what_is_no_such_library_is_refused_with_its_place) {
  const auto missing = open_cublaslt_at("libno_such_thing.so.1");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().where, "libno_such_thing.so.1");
  const auto other = open_cublaslt_at("libm.so.6");
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().what, HasSubstr("is not cuBLASLt"));
  EXPECT_EQ(other.error().code, ErrorCode::kMachineLacks);
}

}  // namespace
}  // namespace strobe::bench
