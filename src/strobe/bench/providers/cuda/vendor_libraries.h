#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "strobe/bench/providers/cuda/cublaslt_api.h"
#include "strobe/bench/providers/cuda/cudnn_api.h"
#include "strobe/bench/providers/cuda/session.h"

// The vendor's libraries on the GPU of a session: opened when first needed, closed before the GPU.
namespace strobe::bench {

class CublasLtLibrary {
 public:
  static Result<std::shared_ptr<CublasLtLibrary>> open(std::shared_ptr<CudaSession> session,
                                                       CublasLtApi api);
  ~CublasLtLibrary();
  CublasLtLibrary(const CublasLtLibrary&) = delete;
  CublasLtLibrary& operator=(const CublasLtLibrary&) = delete;

  const CublasLtApi& api() const { return api_; }
  LtHandle handle() const { return handle_; }
  CuStream stream() const { return session_->device().stream(); }

 private:
  CublasLtLibrary(std::shared_ptr<CudaSession> session, CublasLtApi api)
      : session_(std::move(session)), api_(std::move(api)) {}

  std::shared_ptr<CudaSession> session_;
  CublasLtApi api_;
  LtHandle handle_ = nullptr;
};

class CudnnLibrary {
 public:
  // Its calls go to the session's stream.
  static Result<std::shared_ptr<CudnnLibrary>> open(std::shared_ptr<CudaSession> session,
                                                    CudnnApi api);
  ~CudnnLibrary();
  CudnnLibrary(const CudnnLibrary&) = delete;
  CudnnLibrary& operator=(const CudnnLibrary&) = delete;

  const CudnnApi& api() const { return api_; }
  DnnHandle handle() const { return handle_; }

 private:
  CudnnLibrary(std::shared_ptr<CudaSession> session, CudnnApi api)
      : session_(std::move(session)), api_(std::move(api)) {}

  std::shared_ptr<CudaSession> session_;
  CudnnApi api_;
  DnnHandle handle_ = nullptr;
};

struct LibraryOpeners {                                           // tests script them
  std::function<Result<CublasLtApi>(int newest_major)> cublaslt;  // of CUDA, as the driver's
  std::function<Result<CudnnApi>()> cudnn;
};
LibraryOpeners real_libraries();

class VendorLibraries {
 public:
  explicit VendorLibraries(LibraryOpeners openers) : openers_(std::move(openers)) {}

  // kMachineLacks: there is no such library.
  Result<std::shared_ptr<CublasLtLibrary>> cublaslt(const std::shared_ptr<CudaSession>& session);
  Result<std::shared_ptr<CudnnLibrary>> cudnn(const std::shared_ptr<CudaSession>& session);

 private:
  LibraryOpeners openers_;
  std::optional<Result<std::shared_ptr<CublasLtLibrary>>> cublaslt_;
  std::optional<Result<std::shared_ptr<CudnnLibrary>>> cudnn_;
};

}  // namespace strobe::bench
