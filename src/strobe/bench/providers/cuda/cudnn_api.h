#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "strobe/base/result.h"
#include "strobe/bench/cell.h"
#include "strobe/bench/providers/cuda/driver_api.h"

// The graph API of cuDNN 9 as a table of calls, opened at run time. Every number below is the
// library's own; a test compares them with its header if that is present.
namespace strobe::bench {

using DnnStatus = int;  // 0: success
using DnnHandle = struct DnnHandleTag*;
using DnnDescriptor = void*;

namespace dnn {

constexpr DnnStatus kSuccess = 0;
constexpr DnnStatus kNotSupported = 3000;  // to 3999: several kinds
constexpr DnnStatus kHostAllocationFailed = 4003;
constexpr DnnStatus kDeviceAllocationFailed = 4004;

enum DataType : int { kFloat = 0, kHalf = 2, kInt32 = 4, kBfloat16 = 9, kBoolean = 11 };

enum Descriptor : int {
  kPointwise = 0,
  kConvolution = 1,
  kEngine = 2,
  kEngineConfig = 3,
  kEngineHeuristics = 4,
  kExecutionPlan = 5,
  kOperationConvolutionForward = 10,
  kOperationPointwise = 13,
  kOperationGraph = 15,
  kVariantPack = 16,
  kTensor = 17,
  kMatmul = 18,
  kOperationMatmul = 19,
  kReduction = 21,
  kOperationReduction = 22,
  kDeviceProperties = 38,  // since 9.8
};

enum Attribute : int {
  kPointwiseMode = 0,
  kPointwiseMathPrecision = 1,
  kPointwiseAxis = 9,
  kConvolutionComputeType = 100,
  kConvolutionMode = 101,
  kConvolutionDilations = 102,
  kConvolutionStrides = 103,
  kConvolutionPostPaddings = 104,
  kConvolutionPrePaddings = 105,
  kConvolutionSpatialDims = 106,
  kHeuristicsMode = 200,
  kHeuristicsGraph = 201,
  kHeuristicsResults = 202,
  kHeuristicsDevice = 204,
  kEngineConfigEngine = 300,
  kPlanHandle = 400,
  kPlanEngineConfig = 401,
  kPlanWorkspaceBytes = 402,
  kPlanDevice = 407,
  kForwardAlpha = 700,
  kForwardBeta = 701,
  kForwardConvolution = 702,
  kForwardW = 703,
  kForwardX = 704,
  kForwardY = 705,
  kOperationPointwiseDescriptor = 750,
  kOperationPointwiseX = 751,
  kOperationPointwiseB = 752,
  kOperationPointwiseY = 753,
  kOperationPointwiseT = 758,
  kGraphHandle = 800,
  kGraphOperations = 801,
  kTensorByteAlignment = 900,
  kTensorDataType = 901,
  kTensorDimensions = 902,
  kTensorStrides = 903,
  kTensorUniqueId = 906,
  kTensorIsVirtual = 907,
  kTensorIsByValue = 908,
  kPackUniqueIds = 1000,
  kPackPointers = 1001,
  kPackWorkspace = 1003,
  kEngineGlobalIndex = 1301,
  kEngineNumericalNotes = 1303,
  kMatmulComputeType = 1500,
  kOperationMatmulA = 1520,
  kOperationMatmulB = 1521,
  kOperationMatmulC = 1522,
  kOperationMatmulDescriptor = 1523,
  kReductionOperator = 1600,
  kReductionComputeType = 1601,
  kOperationReductionX = 1610,
  kOperationReductionY = 1611,
  kOperationReductionDescriptor = 1612,
  kDevicePropertiesJson = 2702,
};

enum AttributeType : int {
  kTypeHandle = 0,
  kTypeDataType = 1,
  kTypeBoolean = 2,
  kTypeInt64 = 3,
  kTypeFloat = 4,
  kTypeVoidPointer = 6,
  kTypeConvolutionMode = 7,
  kTypeHeuristicsMode = 8,
  kTypeNumericalNote = 11,
  kTypePointwiseMode = 14,
  kTypeDescriptor = 15,
  kTypeReductionOperator = 18,
  kTypeChar = 24,
};

enum PointwiseMode : int {
  kAdd = 0,
  kMul = 1,
  kDiv = 6,
  kSub = 9,
  kExp = 13,
  kLog = 15,
  kRelu = 100,
  kGreaterOrEqual = 303,
  kGenIndex = 501,
  kSelect = 601,
};

enum ReductionOperator : int { kReduceAdd = 0, kReduceMax = 3 };
enum ConvolutionModeValue : int { kCrossCorrelation = 1 };
enum HeuristicsModeValue : int { kHeuristicsFallback = 2, kHeuristicsA = 3 };

enum NumericalNote : int {
  kTensorCore = 0,
  kDownConvertsInputs = 1,
  kReducedPrecisionReduction = 2,
  kNondeterministic = 4,
  kNumericalNotes = 10,
};

}  // namespace dnn

struct CudnnApi {
  std::size_t (*version)() = nullptr;
  const char* (*error_text)(DnnStatus) = nullptr;
  void (*last_error)(char*, std::size_t) = nullptr;  // may be absent (before 9.0)
  DnnStatus (*create)(DnnHandle*) = nullptr;
  DnnStatus (*destroy)(DnnHandle) = nullptr;
  DnnStatus (*set_stream)(DnnHandle, CuStream) = nullptr;
  DnnStatus (*descriptor_create)(int type, DnnDescriptor*) = nullptr;
  DnnStatus (*descriptor_destroy)(DnnDescriptor) = nullptr;
  DnnStatus (*descriptor_finalize)(DnnDescriptor) = nullptr;
  DnnStatus (*attribute_set)(DnnDescriptor, int attribute, int type, std::int64_t count,
                             const void* values) = nullptr;
  DnnStatus (*attribute_get)(DnnDescriptor, int attribute, int type, std::int64_t room,
                             std::int64_t* count, void* values) = nullptr;
  DnnStatus (*execute)(DnnHandle, DnnDescriptor plan, DnnDescriptor pack) = nullptr;
  std::string library;

  std::string version_text() const;  // "cuDNN 9.14.0"
  // "cudnnBackendFinalize gives CUDNN_STATUS_... (3000: what the library says) while <doing>".
  // kOutOfMemory; kUnsupported: the library does not do this; else kMalformed.
  Result<void> check(DnnStatus status, std::string_view call, std::string_view doing) const;
};

int dnn_type(DType dtype);

// kMachineLacks if there is none, or only one before version 9.
Result<CudnnApi> open_cudnn();
Result<CudnnApi> open_cudnn_at(const std::string& library);

}  // namespace strobe::bench
