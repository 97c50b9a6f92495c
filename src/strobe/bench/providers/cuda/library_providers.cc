#include "strobe/bench/providers/cuda/library_providers.h"

#include <utility>

#include <fmt/format.h>

#include "strobe/bench/providers/cuda/cuda_provider.h"
#include "strobe/bench/providers/cuda/gemm_roof.h"
#include "strobe/bench/providers/cuda/library_cells.h"

namespace strobe::bench {
namespace {

class LibraryProvider final : public CudaProvider {
 public:
  LibraryProvider(std::string name, LibraryUse use, OpenSession open, LibraryOpeners openers)
      : CudaProvider(std::move(name), std::move(open)),
        use_(use),
        cells_(use, std::move(openers)) {}

  ProviderInfo probe() override {
    ProviderInfo info = CudaProvider::probe();
    if (!info.is_available()) return info;
    const Result<std::string> version = library_version();
    if (version) {
      info.version = fmt::format("{}, {}", *version, info.version);
    } else {
      const Error& error = version.error();
      info.obstacle =
          error.hint.empty() ? error.what : fmt::format("{}; {}", error.what, error.hint);
    }
    return info;
  }

  Result<Roofs> measure_roofs() override {
    STROBE_TRY(Roofs roofs, CudaProvider::measure_roofs());
    if (use_ != LibraryUse::kCublasLt) return roofs;
    STROBE_TRY(const std::shared_ptr<CudaSession> opened, session());
    STROBE_TRY(const double tflops, measure_gemm_tflops(opened, cells_.libraries()));
    roofs.gemm_tflops = tflops;
    return roofs;
  }

  Result<Plan> plan(const Cell& cell) override {
    STROBE_TRY(const std::shared_ptr<CudaSession> opened, session());
    return cells_.plan(opened, cell);
  }

  Result<std::unique_ptr<PreparedCell>> prepare(const PrepareRequest& request) override {
    STROBE_TRY(const std::shared_ptr<CudaSession> opened, session());
    return cells_.prepare(opened, request);
  }

 private:
  Result<std::string> library_version() {
    STROBE_TRY(const std::shared_ptr<CudaSession> opened, session());
    if (use_ == LibraryUse::kCublasLt) {
      STROBE_TRY(const auto library, cells_.libraries().cublaslt(opened));
      return library->api().version_text();
    }
    STROBE_TRY(const auto library, cells_.libraries().cudnn(opened));
    return library->api().version_text();
  }

  LibraryUse use_;
  LibraryCells cells_;
};

}  // namespace

std::unique_ptr<Provider> make_cublaslt_provider(OpenSession open, LibraryOpeners openers) {
  return std::make_unique<LibraryProvider>("cublaslt", LibraryUse::kCublasLt, std::move(open),
                                           std::move(openers));
}

std::unique_ptr<Provider> make_cudnn_provider(OpenSession open, LibraryOpeners openers) {
  return std::make_unique<LibraryProvider>("cudnn", LibraryUse::kCudnn, std::move(open),
                                           std::move(openers));
}

std::unique_ptr<Provider> make_library_provider(std::string_view name) {
  if (name == "cublaslt") return make_cublaslt_provider(open_cuda_session, real_libraries());
  if (name == "cudnn") return make_cudnn_provider(open_cuda_session, real_libraries());
  return nullptr;
}

}  // namespace strobe::bench
