#include "strobe/bench/providers/cuda/cublaslt_api.h"

#include <fmt/format.h>

#include "strobe/device/vendor_library.h"

namespace strobe::bench {
namespace {

ErrorCode lt_error_code(LtStatus status) {
  if (status == lt::kAllocationFailed) return ErrorCode::kOutOfMemory;
  return status == lt::kNotSupported ? ErrorCode::kUnsupported : ErrorCode::kMalformed;
}

}  // namespace

// 130100 -> "13.1.0": how cuBLAS numbers its versions.
std::string CublasLtApi::version_text() const {
  if (version == nullptr) return "";
  const std::size_t number = version();
  return fmt::format("cuBLASLt {}.{}.{}", number / 10000, number / 100 % 100, number % 100);
}

Result<void> CublasLtApi::check(LtStatus status, std::string_view call,
                                std::string_view doing) const {
  if (status == lt::kSuccess) [[likely]]
    return {};
  const char* const name = status_name(status);
  const char* const text = status_text(status);
  return Error{.code = lt_error_code(status),
               .what = fmt::format("{} gives {} ({}{}{}) while {}", call,
                                   name == nullptr ? "a status" : name, status,
                                   text == nullptr ? "" : ": ", text == nullptr ? "" : text, doing),
               .where = version_text(),
               .hint = ""};
}

int lt_type(DType dtype) {
  switch (dtype) {
    case DType::kF32:
      return lt::kR32F;
    case DType::kF16:
      return lt::kR16F;
    case DType::kBf16:
      return lt::kR16BF;
  }
  return lt::kR32F;
}

Result<CublasLtApi> open_cublaslt_at(const std::string& library) {
  STROBE_TRY(device::OpenLibrary opened, device::OpenLibrary::at(library));
  CublasLtApi api;
  api.library = library;
  opened.need(api.version, "cublasLtGetVersion");
  opened.need(api.status_name, "cublasLtGetStatusName");
  opened.need(api.status_text, "cublasLtGetStatusString");
  opened.need(api.create, "cublasLtCreate");
  opened.need(api.destroy, "cublasLtDestroy");
  opened.need(api.matmul_create, "cublasLtMatmulDescCreate");
  opened.need(api.matmul_destroy, "cublasLtMatmulDescDestroy");
  opened.need(api.matmul_set, "cublasLtMatmulDescSetAttribute");
  opened.need(api.layout_create, "cublasLtMatrixLayoutCreate");
  opened.need(api.layout_destroy, "cublasLtMatrixLayoutDestroy");
  opened.need(api.layout_set, "cublasLtMatrixLayoutSetAttribute");
  opened.need(api.preference_create, "cublasLtMatmulPreferenceCreate");
  opened.need(api.preference_destroy, "cublasLtMatmulPreferenceDestroy");
  opened.need(api.preference_set, "cublasLtMatmulPreferenceSetAttribute");
  opened.need(api.heuristics, "cublasLtMatmulAlgoGetHeuristic");
  opened.need(api.algorithm_get, "cublasLtMatmulAlgoConfigGetAttribute");
  opened.need(api.matmul, "cublasLtMatmul");
  STROBE_TRY_VOID(opened.check_complete("cuBLASLt of CUDA 11.4 or newer"));
  return api;
}

Result<CublasLtApi> open_cublaslt(int newest_major) {
  return device::open_library(device::Library::kCublasLt, newest_major, open_cublaslt_at);
}

}  // namespace strobe::bench
