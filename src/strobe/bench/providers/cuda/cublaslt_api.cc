#include "strobe/bench/providers/cuda/cublaslt_api.h"

#include <dlfcn.h>

#include <array>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "strobe/bench/providers/cuda/library_places.h"

namespace strobe::bench {
namespace {

struct Soname {
  int major;
  std::string_view name;
};
constexpr std::array<Soname, 3> kSonames = {
    {{13, "libcublasLt.so.13"}, {12, "libcublasLt.so.12"}, {11, "libcublasLt.so.11"}}};
constexpr std::array<std::string_view, 2> kWheels = {"cu13", "cublas"};

ErrorCode code_of(LtStatus status) {
  if (status == lt::kAllocationFailed) return ErrorCode::kMachineLacks;
  return status == lt::kNotSupported ? ErrorCode::kNotFound : ErrorCode::kMalformed;
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
  return Error{.code = code_of(status),
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
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return Error{.code = ErrorCode::kMachineLacks,
                 .what = "cannot be opened as a library",
                 .where = library,
                 .hint = ""};
  }
  CublasLtApi api;
  api.library = library;
  bool is_complete = true;
  const auto find = [&](auto& call, const char* name) {
    call = reinterpret_cast<std::remove_reference_t<decltype(call)>>(dlsym(handle, name));
    if (call == nullptr) is_complete = false;
  };
  find(api.version, "cublasLtGetVersion");
  find(api.status_name, "cublasLtGetStatusName");
  find(api.status_text, "cublasLtGetStatusString");
  find(api.create, "cublasLtCreate");
  find(api.destroy, "cublasLtDestroy");
  find(api.matmul_create, "cublasLtMatmulDescCreate");
  find(api.matmul_destroy, "cublasLtMatmulDescDestroy");
  find(api.matmul_set, "cublasLtMatmulDescSetAttribute");
  find(api.layout_create, "cublasLtMatrixLayoutCreate");
  find(api.layout_destroy, "cublasLtMatrixLayoutDestroy");
  find(api.layout_set, "cublasLtMatrixLayoutSetAttribute");
  find(api.preference_create, "cublasLtMatmulPreferenceCreate");
  find(api.preference_destroy, "cublasLtMatmulPreferenceDestroy");
  find(api.preference_set, "cublasLtMatmulPreferenceSetAttribute");
  find(api.heuristics, "cublasLtMatmulAlgoGetHeuristic");
  find(api.algorithm_get, "cublasLtMatmulAlgoConfigGetAttribute");
  find(api.matmul, "cublasLtMatmul");
  if (!is_complete) {
    return Error{.code = ErrorCode::kMachineLacks,
                 .what = "is no cuBLASLt of CUDA 11.4 or newer",
                 .where = library,
                 .hint = ""};
  }
  return api;
}

Result<CublasLtApi> open_cublaslt(int newest_major) {
  for (const bool is_newer : {false, true}) {
    std::vector<std::string_view> sonames;
    for (const Soname& soname : kSonames) {
      if ((soname.major > newest_major) == is_newer) sonames.push_back(soname.name);
    }
    for (const std::string& place : library_places(sonames, kWheels)) {
      if (auto api = open_cublaslt_at(place)) return api;
    }
  }
  return Error{.code = ErrorCode::kMachineLacks,
               .what = "there is no cuBLASLt on this machine (libcublasLt is missing)",
               .where = "",
               .hint =
                   "install a CUDA toolkit, or `pip install nvidia-cublas`, or set CUDA_HOME to "
                   "where one is"};
}

}  // namespace strobe::bench
