#include "strobe/bench/providers/cuda/cudnn_api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#if __has_include(<cudnn_graph.h>)
#include <cudnn_graph.h>
#define STROBE_HAS_CUDNN_HEADER 1
#endif

namespace strobe::bench {
namespace {

using ::testing::HasSubstr;

#ifdef STROBE_HAS_CUDNN_HEADER

#define STROBE_IS(ours, theirs) \
  static_assert(static_cast<int>(dnn::ours) == static_cast<int>(CUDNN_##theirs))

STROBE_IS(kNotSupported, STATUS_NOT_SUPPORTED);
STROBE_IS(kHostAllocationFailed, STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED);
STROBE_IS(kDeviceAllocationFailed, STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED);
STROBE_IS(kFloat, DATA_FLOAT);
STROBE_IS(kHalf, DATA_HALF);
STROBE_IS(kInt32, DATA_INT32);
STROBE_IS(kBfloat16, DATA_BFLOAT16);
STROBE_IS(kBoolean, DATA_BOOLEAN);
STROBE_IS(kPointwise, BACKEND_POINTWISE_DESCRIPTOR);
STROBE_IS(kConvolution, BACKEND_CONVOLUTION_DESCRIPTOR);
STROBE_IS(kEngine, BACKEND_ENGINE_DESCRIPTOR);
STROBE_IS(kEngineConfig, BACKEND_ENGINECFG_DESCRIPTOR);
STROBE_IS(kEngineHeuristics, BACKEND_ENGINEHEUR_DESCRIPTOR);
STROBE_IS(kExecutionPlan, BACKEND_EXECUTION_PLAN_DESCRIPTOR);
STROBE_IS(kOperationConvolutionForward, BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
STROBE_IS(kOperationPointwise, BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
STROBE_IS(kOperationGraph, BACKEND_OPERATIONGRAPH_DESCRIPTOR);
STROBE_IS(kVariantPack, BACKEND_VARIANT_PACK_DESCRIPTOR);
STROBE_IS(kTensor, BACKEND_TENSOR_DESCRIPTOR);
STROBE_IS(kMatmul, BACKEND_MATMUL_DESCRIPTOR);
STROBE_IS(kOperationMatmul, BACKEND_OPERATION_MATMUL_DESCRIPTOR);
STROBE_IS(kReduction, BACKEND_REDUCTION_DESCRIPTOR);
STROBE_IS(kOperationReduction, BACKEND_OPERATION_REDUCTION_DESCRIPTOR);
STROBE_IS(kPointwiseMode, ATTR_POINTWISE_MODE);
STROBE_IS(kPointwiseMathPrecision, ATTR_POINTWISE_MATH_PREC);
STROBE_IS(kPointwiseAxis, ATTR_POINTWISE_AXIS);
STROBE_IS(kConvolutionComputeType, ATTR_CONVOLUTION_COMP_TYPE);
STROBE_IS(kConvolutionMode, ATTR_CONVOLUTION_CONV_MODE);
STROBE_IS(kConvolutionDilations, ATTR_CONVOLUTION_DILATIONS);
STROBE_IS(kConvolutionStrides, ATTR_CONVOLUTION_FILTER_STRIDES);
STROBE_IS(kConvolutionPostPaddings, ATTR_CONVOLUTION_POST_PADDINGS);
STROBE_IS(kConvolutionPrePaddings, ATTR_CONVOLUTION_PRE_PADDINGS);
STROBE_IS(kConvolutionSpatialDims, ATTR_CONVOLUTION_SPATIAL_DIMS);
STROBE_IS(kHeuristicsMode, ATTR_ENGINEHEUR_MODE);
STROBE_IS(kHeuristicsGraph, ATTR_ENGINEHEUR_OPERATION_GRAPH);
STROBE_IS(kHeuristicsResults, ATTR_ENGINEHEUR_RESULTS);
STROBE_IS(kEngineConfigEngine, ATTR_ENGINECFG_ENGINE);
STROBE_IS(kPlanHandle, ATTR_EXECUTION_PLAN_HANDLE);
STROBE_IS(kPlanEngineConfig, ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
STROBE_IS(kPlanWorkspaceBytes, ATTR_EXECUTION_PLAN_WORKSPACE_SIZE);
STROBE_IS(kForwardAlpha, ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA);
STROBE_IS(kForwardBeta, ATTR_OPERATION_CONVOLUTION_FORWARD_BETA);
STROBE_IS(kForwardConvolution, ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC);
STROBE_IS(kForwardW, ATTR_OPERATION_CONVOLUTION_FORWARD_W);
STROBE_IS(kForwardX, ATTR_OPERATION_CONVOLUTION_FORWARD_X);
STROBE_IS(kForwardY, ATTR_OPERATION_CONVOLUTION_FORWARD_Y);
STROBE_IS(kOperationPointwiseDescriptor, ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR);
STROBE_IS(kOperationPointwiseX, ATTR_OPERATION_POINTWISE_XDESC);
STROBE_IS(kOperationPointwiseB, ATTR_OPERATION_POINTWISE_BDESC);
STROBE_IS(kOperationPointwiseY, ATTR_OPERATION_POINTWISE_YDESC);
STROBE_IS(kOperationPointwiseT, ATTR_OPERATION_POINTWISE_TDESC);
STROBE_IS(kGraphHandle, ATTR_OPERATIONGRAPH_HANDLE);
STROBE_IS(kGraphOperations, ATTR_OPERATIONGRAPH_OPS);
STROBE_IS(kTensorByteAlignment, ATTR_TENSOR_BYTE_ALIGNMENT);
STROBE_IS(kTensorDataType, ATTR_TENSOR_DATA_TYPE);
STROBE_IS(kTensorDimensions, ATTR_TENSOR_DIMENSIONS);
STROBE_IS(kTensorStrides, ATTR_TENSOR_STRIDES);
STROBE_IS(kTensorUniqueId, ATTR_TENSOR_UNIQUE_ID);
STROBE_IS(kTensorIsVirtual, ATTR_TENSOR_IS_VIRTUAL);
STROBE_IS(kTensorIsByValue, ATTR_TENSOR_IS_BY_VALUE);
STROBE_IS(kPackUniqueIds, ATTR_VARIANT_PACK_UNIQUE_IDS);
STROBE_IS(kPackPointers, ATTR_VARIANT_PACK_DATA_POINTERS);
STROBE_IS(kPackWorkspace, ATTR_VARIANT_PACK_WORKSPACE);
STROBE_IS(kEngineGlobalIndex, ATTR_ENGINE_GLOBAL_INDEX);
STROBE_IS(kEngineNumericalNotes, ATTR_ENGINE_NUMERICAL_NOTE);
STROBE_IS(kMatmulComputeType, ATTR_MATMUL_COMP_TYPE);
STROBE_IS(kOperationMatmulA, ATTR_OPERATION_MATMUL_ADESC);
STROBE_IS(kOperationMatmulB, ATTR_OPERATION_MATMUL_BDESC);
STROBE_IS(kOperationMatmulC, ATTR_OPERATION_MATMUL_CDESC);
STROBE_IS(kOperationMatmulDescriptor, ATTR_OPERATION_MATMUL_DESC);
STROBE_IS(kReductionOperator, ATTR_REDUCTION_OPERATOR);
STROBE_IS(kReductionComputeType, ATTR_REDUCTION_COMP_TYPE);
STROBE_IS(kOperationReductionX, ATTR_OPERATION_REDUCTION_XDESC);
STROBE_IS(kOperationReductionY, ATTR_OPERATION_REDUCTION_YDESC);
STROBE_IS(kOperationReductionDescriptor, ATTR_OPERATION_REDUCTION_DESC);
STROBE_IS(kTypeHandle, TYPE_HANDLE);
STROBE_IS(kTypeDataType, TYPE_DATA_TYPE);
STROBE_IS(kTypeBoolean, TYPE_BOOLEAN);
STROBE_IS(kTypeInt64, TYPE_INT64);
STROBE_IS(kTypeFloat, TYPE_FLOAT);
STROBE_IS(kTypeVoidPointer, TYPE_VOID_PTR);
STROBE_IS(kTypeConvolutionMode, TYPE_CONVOLUTION_MODE);
STROBE_IS(kTypeHeuristicsMode, TYPE_HEUR_MODE);
STROBE_IS(kTypeNumericalNote, TYPE_NUMERICAL_NOTE);
STROBE_IS(kTypePointwiseMode, TYPE_POINTWISE_MODE);
STROBE_IS(kTypeDescriptor, TYPE_BACKEND_DESCRIPTOR);
STROBE_IS(kTypeReductionOperator, TYPE_REDUCTION_OPERATOR_TYPE);
STROBE_IS(kTypeChar, TYPE_CHAR);
STROBE_IS(kAdd, POINTWISE_ADD);
STROBE_IS(kMul, POINTWISE_MUL);
STROBE_IS(kDiv, POINTWISE_DIV);
STROBE_IS(kSub, POINTWISE_SUB);
STROBE_IS(kExp, POINTWISE_EXP);
STROBE_IS(kLog, POINTWISE_LOG);
STROBE_IS(kRelu, POINTWISE_RELU_FWD);
STROBE_IS(kGreaterOrEqual, POINTWISE_CMP_GE);
STROBE_IS(kGenIndex, POINTWISE_GEN_INDEX);
STROBE_IS(kSelect, POINTWISE_BINARY_SELECT);
STROBE_IS(kReduceAdd, REDUCE_TENSOR_ADD);
STROBE_IS(kReduceMax, REDUCE_TENSOR_MAX);
STROBE_IS(kCrossCorrelation, CROSS_CORRELATION);
STROBE_IS(kHeuristicsFallback, HEUR_MODE_FALLBACK);
STROBE_IS(kHeuristicsA, HEUR_MODE_A);
STROBE_IS(kTensorCore, NUMERICAL_NOTE_TENSOR_CORE);
STROBE_IS(kDownConvertsInputs, NUMERICAL_NOTE_DOWN_CONVERT_INPUTS);
STROBE_IS(kReducedPrecisionReduction, NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION);
STROBE_IS(kNondeterministic, NUMERICAL_NOTE_NONDETERMINISTIC);
static_assert(static_cast<int>(dnn::kNumericalNotes) >=
              static_cast<int>(CUDNN_NUMERICAL_NOTE_TYPE_COUNT));
#if CUDNN_VERSION >= 90800
STROBE_IS(kDeviceProperties, BACKEND_DEVICEPROP_DESCRIPTOR);
STROBE_IS(kDevicePropertiesJson, ATTR_DEVICEPROP_JSON_REPRESENTATION);
STROBE_IS(kHeuristicsDevice, ATTR_ENGINEHEUR_DEVICEPROP);
STROBE_IS(kPlanDevice, ATTR_EXECUTION_PLAN_DEVICEPROP);
#endif

#undef STROBE_IS
#endif

CudnnApi dnn_speaking() {
  CudnnApi api;
  api.version = [] { return std::size_t{91400}; };
  api.error_text = [](DnnStatus) { return "CUDNN_STATUS_OF_A_TEST"; };
  api.last_error = [](char* text, std::size_t) { text[0] = 'w', text[1] = 'h', text[2] = 'y'; };
  return api;
}

TEST(CudnnApi, an_error_carries_the_librarys_last_words_and_version) {
  const auto result = dnn_speaking().check(5000, "cudnnBackendExecute", "queueing a call");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().what,
            "cudnnBackendExecute gives CUDNN_STATUS_OF_A_TEST (5000: why) while queueing a call");
  EXPECT_EQ(result.error().where, "cuDNN 9.14.0");
  EXPECT_EQ(result.error().code, ErrorCode::kMalformed);
}

TEST(CudnnApi, every_kind_of_not_supported_is_one_and_memory_is_another) {
  EXPECT_EQ(dnn_speaking().check(3000, "", "").error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(dnn_speaking().check(3007, "", "").error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(dnn_speaking().check(dnn::kDeviceAllocationFailed, "", "").error().code,
            ErrorCode::kOutOfMemory);
  EXPECT_EQ(dnn_speaking().check(2000, "", "").error().code, ErrorCode::kMalformed);
}

TEST(CudnnApi, a_library_without_last_words_is_no_trouble) {
  CudnnApi api = dnn_speaking();
  api.last_error = nullptr;
  EXPECT_THAT(api.check(2000, "cudnnCreate", "opening").error().what,
              HasSubstr("CUDNN_STATUS_OF_A_TEST (2000) while opening"));
}

TEST(CudnnApi, what_is_no_such_library_is_refused_with_its_place) {
  const auto other = open_cudnn_at("libm.so.6");
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().what, HasSubstr("is not cuDNN of version 9"));
  EXPECT_EQ(other.error().where, "libm.so.6");
  EXPECT_EQ(other.error().code, ErrorCode::kMachineLacks);
}

}  // namespace
}  // namespace strobe::bench
