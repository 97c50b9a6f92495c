#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "strobe/bench/cases/case_info.h"
#include "strobe/bench/providers/cuda/library_calls.h"
#include "strobe/bench/providers/cuda/session.h"
#include "strobe/bench/providers/cuda/vendor_libraries.h"
#include "strobe/bench/providers/provider.h"

// The cells that a provider runs with the vendor's libraries.
namespace strobe::bench {

enum class LibraryUse : std::uint8_t {
  kCublasLt,  // matmul, as fused as the library can
  kCudnn,     // convolution and attention, also fused
  kUnfused,   // all three, one kernel per operator
};

class LibraryCells {
 public:
  LibraryCells(LibraryUse use, LibraryOpeners openers)
      : use_(use), libraries_(std::move(openers)) {}

  VendorLibraries& libraries() { return libraries_; }
  // Asks the library what it would run; `unsupported` holds its own message if it refuses.
  Result<Plan> plan(const std::shared_ptr<CudaSession>& session, const Cell& cell);
  Result<std::unique_ptr<PreparedCell>> prepare(const std::shared_ptr<CudaSession>& session,
                                                const PrepareRequest& request);

 private:
  std::string why_not(const CaseInfo* info, const Cell& cell) const;
  Result<LibraryCall> build(const std::shared_ptr<CudaSession>& session, const Cell& cell);

  LibraryUse use_;
  VendorLibraries libraries_;
  // The planned call is usually prepared next; keeping it avoids compiling engines twice.
  std::optional<std::pair<Cell, LibraryCall>> planned_;
};

// The providers that are a vendor's library: "cublaslt" and "cudnn".
std::unique_ptr<Provider> make_cublaslt_provider(OpenSession open, LibraryOpeners openers);
std::unique_ptr<Provider> make_cudnn_provider(OpenSession open, LibraryOpeners openers);

}  // namespace strobe::bench
