#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "strobe/bench/providers/cuda/cublaslt_api.h"

// One matrix product by cuBLASLt, with the operations fused behind it, and the algorithms that the
// library proposes for it.
namespace strobe::bench {

// out[m,n] = left[m,k] right[k,n], all row-major and packed; `batch` of them one after the other.
struct GemmProblem {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t batch = 1;
  DType dtype = DType::kF32;
  bool is_right_transposed = false;  // stored [n,k]
  bool adds = false;                 // + added[m,n], which is read only
  bool has_relu = false;             // after that
};

struct GemmBuffers {
  CuPointer left = 0;
  CuPointer right = 0;
  CuPointer added = 0;
  CuPointer out = 0;
  CuPointer workspace = 0;
};

class Gemm {
 public:
  static constexpr int kMostAlgorithms = 16;

  // kUnsupported: the library has no algorithm for it.
  static Result<Gemm> make(const CublasLtApi& api, LtHandle handle, const GemmProblem& problem,
                           std::size_t most_workspace_bytes);

  std::size_t algorithms() const { return found_.size(); }
  std::size_t workspace_bytes() const;  // the most that any of them needs
  std::string algorithm_text(std::size_t algorithm) const;
  Result<void> enqueue(std::size_t algorithm, const GemmBuffers& buffers, CuStream stream) const;

 private:
  struct Descriptors {
    explicit Descriptors(const CublasLtApi& table) : api(table) {}
    ~Descriptors();
    Descriptors(const Descriptors&) = delete;
    Descriptors& operator=(const Descriptors&) = delete;

    const CublasLtApi& api;
    LtMatmulDescriptor matmul = nullptr;
    LtLayout a = nullptr;
    LtLayout b = nullptr;
    LtLayout out = nullptr;  // of C and D alike
    LtPreference preference = nullptr;
  };

  Result<void> describe(std::size_t most_workspace_bytes);
  Result<void> describe_product();
  Result<LtLayout> layout(std::int64_t rows, std::int64_t columns);
  Result<void> ask();

  LtHandle handle_ = nullptr;
  GemmProblem problem_;
  std::unique_ptr<Descriptors> parts_;
  std::vector<lt::HeuristicResult> found_;
};

}  // namespace strobe::bench
