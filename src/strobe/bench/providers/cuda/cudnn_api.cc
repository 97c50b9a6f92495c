#include "strobe/bench/providers/cuda/cudnn_api.h"

#include <array>

#include <fmt/format.h>

#include "strobe/device/vendor_library.h"

namespace strobe::bench {
namespace {

constexpr std::size_t kOldest = 90000;

ErrorCode dnn_error_code(DnnStatus status) {
  if (status == dnn::kHostAllocationFailed || status == dnn::kDeviceAllocationFailed) {
    return ErrorCode::kOutOfMemory;
  }
  return status / 1000 * 1000 == dnn::kNotSupported ? ErrorCode::kUnsupported
                                                    : ErrorCode::kMalformed;
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
  return Error{.code = dnn_error_code(status),
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
  constexpr std::string_view kKind = "cuDNN of version 9 or newer";
  STROBE_TRY(device::OpenLibrary opened, device::OpenLibrary::at(library));
  CudnnApi api;
  api.library = library;
  opened.need(api.version, "cudnnGetVersion");
  opened.need(api.error_text, "cudnnGetErrorString");
  opened.want(api.last_error, "cudnnGetLastErrorString");
  opened.need(api.create, "cudnnCreate");
  opened.need(api.destroy, "cudnnDestroy");
  opened.need(api.set_stream, "cudnnSetStream");
  opened.need(api.descriptor_create, "cudnnBackendCreateDescriptor");
  opened.need(api.descriptor_destroy, "cudnnBackendDestroyDescriptor");
  opened.need(api.descriptor_finalize, "cudnnBackendFinalize");
  opened.need(api.attribute_set, "cudnnBackendSetAttribute");
  opened.need(api.attribute_get, "cudnnBackendGetAttribute");
  opened.need(api.execute, "cudnnBackendExecute");
  STROBE_TRY_VOID(opened.check_complete(kKind));
  if (api.version() < kOldest)
    return opened.refusal(kKind, fmt::format("its version is {}", api.version()));
  return api;
}

Result<CudnnApi> open_cudnn() {
  return device::open_library(device::Library::kCudnn, device::kAnyCuda, open_cudnn_at);
}

}  // namespace strobe::bench
