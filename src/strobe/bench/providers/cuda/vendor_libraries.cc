#include "strobe/bench/providers/cuda/vendor_libraries.h"

#include <utility>

namespace strobe::bench {
namespace {

template <class Library, class Open>
Result<std::shared_ptr<Library>> opened(const std::shared_ptr<CudaSession>& session,
                                        const Open& open) {
  if (!open) {
    return Error{.code = ErrorCode::kMachineLacks,
                 .what = "no vendor library was requested",
                 .where = "",
                 .hint = ""};
  }
  STROBE_TRY(auto api, open());
  return Library::open(session, std::move(api));
}

}  // namespace

Result<std::shared_ptr<CublasLtLibrary>> CublasLtLibrary::open(std::shared_ptr<CudaSession> session,
                                                               CublasLtApi api) {
  std::shared_ptr<CublasLtLibrary> library(new CublasLtLibrary(std::move(session), std::move(api)));
  STROBE_TRY_VOID(library->session_->device().make_current());
  STROBE_TRY_VOID(library->api_.check(library->api_.create(&library->handle_), "cublasLtCreate",
                                      "opening the library"));
  return library;
}

CublasLtLibrary::~CublasLtLibrary() {
  if (handle_ != nullptr) api_.destroy(handle_);
}

Result<std::shared_ptr<CudnnLibrary>> CudnnLibrary::open(std::shared_ptr<CudaSession> session,
                                                         CudnnApi api) {
  std::shared_ptr<CudnnLibrary> library(new CudnnLibrary(std::move(session), std::move(api)));
  constexpr std::string_view kDoing = "opening the library";
  STROBE_TRY_VOID(library->session_->device().make_current());
  STROBE_TRY_VOID(
      library->api_.check(library->api_.create(&library->handle_), "cudnnCreate", kDoing));
  STROBE_TRY_VOID(library->api_.check(
      library->api_.set_stream(library->handle_, library->session_->device().stream()),
      "cudnnSetStream", kDoing));
  return library;
}

CudnnLibrary::~CudnnLibrary() {
  if (handle_ != nullptr) api_.destroy(handle_);
}

LibraryOpeners real_libraries() {
  return {.cublaslt = [](int newest_major) { return open_cublaslt(newest_major); },
          .cudnn = [] { return open_cudnn(); }};
}

Result<std::shared_ptr<CublasLtLibrary>> VendorLibraries::cublaslt(
    const std::shared_ptr<CudaSession>& session) {
  if (!cublaslt_) {
    std::function<Result<CublasLtApi>()> open;
    if (openers_.cublaslt) {
      open = [&] { return openers_.cublaslt(cuda_major(session->device().driver())); };
    }
    cublaslt_ = opened<CublasLtLibrary>(session, open);
  }
  return *cublaslt_;
}

Result<std::shared_ptr<CudnnLibrary>> VendorLibraries::cudnn(
    const std::shared_ptr<CudaSession>& session) {
  if (!cudnn_) cudnn_ = opened<CudnnLibrary>(session, openers_.cudnn);
  return *cudnn_;
}

}  // namespace strobe::bench
