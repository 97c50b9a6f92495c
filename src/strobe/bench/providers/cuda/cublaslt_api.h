#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "strobe/base/result.h"
#include "strobe/bench/cell.h"
#include "strobe/bench/providers/cuda/driver_api.h"

// cuBLASLt as a table of calls, opened at run time. Every number and size below is the library's
// own; a test compares them with its header if that is present.
namespace strobe::bench {

using LtStatus = int;  // 0: success
using LtHandle = struct LtHandleTag*;
using LtMatmulDescriptor = struct LtMatmulDescriptorTag*;
using LtLayout = struct LtLayoutTag*;
using LtPreference = struct LtPreferenceTag*;

namespace lt {

constexpr LtStatus kSuccess = 0;
constexpr LtStatus kAllocationFailed = 3;
constexpr LtStatus kNotSupported = 15;

enum DataType : int { kR32F = 0, kR16F = 2, kR16BF = 14 };
enum ComputeType : int { kCompute32F = 68 };
enum Operation : int { kOperationNone = 0, kOperationTransposed = 1 };
enum Epilogue : int { kEpilogueDefault = 1, kEpilogueRelu = 2 };

enum MatmulAttribute : int { kTransposeA = 3, kTransposeB = 4, kEpilogue = 7 };
enum LayoutAttribute : int { kBatchCount = 5, kBatchStride = 6 };
enum PreferenceAttribute : int { kMostWorkspaceBytes = 1 };
enum AlgorithmAttribute : int {
  kAlgorithmId = 0,
  kAlgorithmTile = 1,
  kAlgorithmSplitK = 2,
  kAlgorithmStages = 6,
  kAlgorithmCluster = 8,
};

struct Algorithm {
  std::uint64_t data[8] = {};
};

struct HeuristicResult {
  Algorithm algorithm;
  std::size_t workspace_bytes = 0;
  LtStatus state = kSuccess;
  float waves = 0;
  int reserved[4] = {};
};

}  // namespace lt

struct CublasLtApi {
  std::size_t (*version)() = nullptr;
  const char* (*status_name)(LtStatus) = nullptr;
  const char* (*status_text)(LtStatus) = nullptr;
  LtStatus (*create)(LtHandle*) = nullptr;
  LtStatus (*destroy)(LtHandle) = nullptr;
  LtStatus (*matmul_create)(LtMatmulDescriptor*, int compute, int scale) = nullptr;
  LtStatus (*matmul_destroy)(LtMatmulDescriptor) = nullptr;
  LtStatus (*matmul_set)(LtMatmulDescriptor, int attribute, const void*, std::size_t) = nullptr;
  LtStatus (*layout_create)(LtLayout*, int type, std::uint64_t rows, std::uint64_t columns,
                            std::int64_t leading) = nullptr;
  LtStatus (*layout_destroy)(LtLayout) = nullptr;
  LtStatus (*layout_set)(LtLayout, int attribute, const void*, std::size_t) = nullptr;
  LtStatus (*preference_create)(LtPreference*) = nullptr;
  LtStatus (*preference_destroy)(LtPreference) = nullptr;
  LtStatus (*preference_set)(LtPreference, int attribute, const void*, std::size_t) = nullptr;
  LtStatus (*heuristics)(LtHandle, LtMatmulDescriptor, LtLayout a, LtLayout b, LtLayout c,
                         LtLayout d, LtPreference, int wanted, lt::HeuristicResult*,
                         int* found) = nullptr;
  LtStatus (*algorithm_get)(const lt::Algorithm*, int attribute, void*, std::size_t,
                            std::size_t* written) = nullptr;
  LtStatus (*matmul)(LtHandle, LtMatmulDescriptor, const void* alpha, const void* a, LtLayout,
                     const void* b, LtLayout, const void* beta, const void* c, LtLayout, void* d,
                     LtLayout, const lt::Algorithm*, void* workspace, std::size_t workspace_bytes,
                     CuStream) = nullptr;
  std::string library;

  std::string version_text() const;  // "cuBLASLt 13.1.0"
  // "cublasLtMatmul gives CUBLAS_STATUS_... (15: what the library says) while <doing>".
  // kOutOfMemory; kUnsupported: the library does not do this; else kMalformed.
  Result<void> check(LtStatus status, std::string_view call, std::string_view doing) const;
};

int lt_type(DType dtype);

// Tries the driver's own version of CUDA first: 13 for a driver of CUDA 13. kMachineLacks if there
// is none.
Result<CublasLtApi> open_cublaslt(int newest_major = 99);
Result<CublasLtApi> open_cublaslt_at(const std::string& library);

}  // namespace strobe::bench
