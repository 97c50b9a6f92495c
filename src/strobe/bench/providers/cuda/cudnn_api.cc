#include "strobe/bench/providers/cuda/cudnn_api.h"

#include <dlfcn.h>

#include <array>
#include <type_traits>

#include <fmt/format.h>

#include "strobe/bench/providers/cuda/library_places.h"

namespace strobe::bench {
namespace {

constexpr std::size_t kOldest = 90000;
constexpr std::array<std::string_view, 2> kSonames = {"libcudnn.so.9", "libcudnn.so"};
constexpr std::array<std::string_view, 1> kWheels = {"cudnn"};

ErrorCode code_of(DnnStatus status) {
  if (status == dnn::kHostAllocationFailed || status == dnn::kDeviceAllocationFailed) {
    return ErrorCode::kMachineLacks;
  }
  return status / 1000 * 1000 == dnn::kNotSupported ? ErrorCode::kNotFound : ErrorCode::kMalformed;
}

}  // namespace

// 91400 -> "9.14.0": how cuDNN numbers its versions since 9.
std::string CudnnApi::version_text() const {
  if (version == nullptr) return "";
  const std::size_t number = version();
  return fmt::format("cuDNN {}.{}.{}", number / 10000, number / 100 % 100, number % 100);
}

Result<void> CudnnApi::check(DnnStatus status, std::string_view call,
                             std::string_view doing) const {
  if (status == dnn::kSuccess) [[likely]]
    return {};
  const char* const name = error_text(status);
  std::array<char, 1024> text = {};
  if (last_error != nullptr) last_error(text.data(), text.size() - 1);
  const std::string_view said = text.data();
  return Error{.code = code_of(status),
               .what = fmt::format("{} gives {} ({}{}{}) while {}", call,
                                   name == nullptr ? "a status" : name, status,
                                   said.empty() ? "" : ": ", said, doing),
               .where = version_text(),
               .hint = ""};
}

int dnn_type(DType dtype) {
  switch (dtype) {
    case DType::kF32:
      return dnn::kFloat;
    case DType::kF16:
      return dnn::kHalf;
    case DType::kBf16:
      return dnn::kBfloat16;
  }
  return dnn::kFloat;
}

Result<CudnnApi> open_cudnn_at(const std::string& library) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return Error{.code = ErrorCode::kMachineLacks,
                 .what = "cannot be opened as a library",
                 .where = library,
                 .hint = ""};
  }
  CudnnApi api;
  api.library = library;
  bool is_complete = true;
  const auto find = [&](auto& call, const char* name, bool is_needed = true) {
    call = reinterpret_cast<std::remove_reference_t<decltype(call)>>(dlsym(handle, name));
    if (call == nullptr && is_needed) is_complete = false;
  };
  find(api.version, "cudnnGetVersion");
  find(api.error_text, "cudnnGetErrorString");
  find(api.last_error, "cudnnGetLastErrorString", false);
  find(api.create, "cudnnCreate");
  find(api.destroy, "cudnnDestroy");
  find(api.set_stream, "cudnnSetStream");
  find(api.descriptor_create, "cudnnBackendCreateDescriptor");
  find(api.descriptor_destroy, "cudnnBackendDestroyDescriptor");
  find(api.descriptor_finalize, "cudnnBackendFinalize");
  find(api.attribute_set, "cudnnBackendSetAttribute");
  find(api.attribute_get, "cudnnBackendGetAttribute");
  find(api.execute, "cudnnBackendExecute");
  if (!is_complete || api.version() < kOldest) {
    return Error{.code = ErrorCode::kMachineLacks,
                 .what = "is no cuDNN of version 9 or newer",
                 .where = library,
                 .hint = ""};
  }
  return api;
}

Result<CudnnApi> open_cudnn() {
  for (const std::string& place : library_places(kSonames, kWheels)) {
    if (auto api = open_cudnn_at(place)) return api;
  }
  return Error{.code = ErrorCode::kMachineLacks,
               .what = "there is no cuDNN 9 on this machine (libcudnn.so.9 is missing)",
               .where = "",
               .hint =
                   "install the package cudnn9 of the vendor, or `pip install nvidia-cudnn-cu13` "
                   "(cu12 for an older driver), or set CUDNN_HOME to where one is"};
}

}  // namespace strobe::bench
