#pragma once

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "strobe/bench/providers/cuda/cublaslt_api.h"
#include "tests/unit/bench/providers/cuda/scripted_driver.h"

// cuBLASLt without the library: its table is filled with calls that record their arguments. A
// product is a kernel "gemm_<algorithm>" of the scripted driver, which determines its duration.
namespace strobe::bench {

class ScriptedCublasLt {
 public:
  struct Layout {
    int type = 0;
    std::uint64_t rows = 0, columns = 0;
    std::int64_t leading = 0;
    std::int32_t batch = 1;
    std::int64_t stride = 0;
    bool operator==(const Layout&) const = default;
  };
  struct Product {
    int compute = 0, epilogue = 0, transposed_a = 0;
    float alpha = 0, beta = 0;
    Layout a, b, c, d;
    const void *at_a = nullptr, *at_b = nullptr, *at_c = nullptr;
    void* at_d = nullptr;
    std::uint64_t algorithm = 0;
    std::size_t workspace_bytes = 0;
  };

  explicit ScriptedCublasLt(DriverApi driver) : driver_(driver) { current() = this; }
  ~ScriptedCublasLt() { current() = nullptr; }
  ScriptedCublasLt(const ScriptedCublasLt&) = delete;
  ScriptedCublasLt& operator=(const ScriptedCublasLt&) = delete;

  std::vector<lt::HeuristicResult> proposals = proposed({11, 12, 13});
  std::uint64_t most_workspace_bytes = 0;  // as requested
  LtStatus heuristics_status = lt::kSuccess;
  LtStatus create_status = lt::kSuccess;
  std::map<std::uint64_t, LtStatus> refusals;  // by algorithm
  std::vector<Product> products;
  int alive = 0;  // descriptors and handles that were created and not destroyed

  static std::vector<lt::HeuristicResult> proposed(std::vector<std::uint64_t> algorithms) {
    std::vector<lt::HeuristicResult> results;
    for (const std::uint64_t id : algorithms) {
      lt::HeuristicResult result;
      result.algorithm.data[0] = id;
      result.workspace_bytes = 1024 * id;
      results.push_back(result);
    }
    return results;
  }

  CublasLtApi api();

 private:
  struct Description {
    int compute = 0, epilogue = lt::kEpilogueDefault, transposed_a = 0;
  };
  static ScriptedCublasLt*& current() {
    static ScriptedCublasLt* library = nullptr;
    return library;
  }
  static ScriptedCublasLt& me() { return *current(); }

  DriverApi driver_;
};

inline CublasLtApi ScriptedCublasLt::api() {
  CublasLtApi api;
  api.version = [] { return std::size_t{130100}; };
  api.status_name = [](LtStatus status) {
    return status == lt::kNotSupported ? "CUBLAS_STATUS_NOT_SUPPORTED" : "CUBLAS_STATUS_OF_A_TEST";
  };
  api.status_text = [](LtStatus) { return "scripted"; };
  api.create = [](LtHandle* handle) {
    if (me().create_status == lt::kSuccess) ++me().alive;
    *handle = me().create_status == lt::kSuccess ? reinterpret_cast<LtHandle>(1) : nullptr;
    return me().create_status;
  };
  api.destroy = [](LtHandle) { return --me().alive, lt::kSuccess; };
  api.matmul_create = [](LtMatmulDescriptor* descriptor, int compute, int) {
    ++me().alive;
    *descriptor = reinterpret_cast<LtMatmulDescriptor>(new Description{.compute = compute});
    return lt::kSuccess;
  };
  api.matmul_destroy = [](LtMatmulDescriptor descriptor) {
    delete reinterpret_cast<Description*>(descriptor);
    return --me().alive, lt::kSuccess;
  };
  api.matmul_set = [](LtMatmulDescriptor descriptor, int attribute, const void* value,
                      std::size_t bytes) {
    if (bytes != 4) return 7;
    int word = 0;
    std::memcpy(&word, value, bytes);
    auto* const made = reinterpret_cast<Description*>(descriptor);
    if (attribute == lt::kTransposeA) made->transposed_a = word;
    if (attribute == lt::kEpilogue) made->epilogue = word;
    return lt::kSuccess;
  };
  api.layout_create = [](LtLayout* layout, int type, std::uint64_t rows, std::uint64_t columns,
                         std::int64_t leading) {
    ++me().alive;
    *layout = reinterpret_cast<LtLayout>(new Layout{type, rows, columns, leading});
    return lt::kSuccess;
  };
  api.layout_destroy = [](LtLayout layout) {
    delete reinterpret_cast<Layout*>(layout);
    return --me().alive, lt::kSuccess;
  };
  api.layout_set = [](LtLayout layout, int attribute, const void* value, std::size_t bytes) {
    auto* const made = reinterpret_cast<Layout*>(layout);
    if (attribute == lt::kBatchCount) std::memcpy(&made->batch, value, bytes);
    if (attribute == lt::kBatchStride) std::memcpy(&made->stride, value, bytes);
    return lt::kSuccess;
  };
  api.preference_create = [](LtPreference* preference) {
    ++me().alive;
    *preference = reinterpret_cast<LtPreference>(2);
    return lt::kSuccess;
  };
  api.preference_destroy = [](LtPreference) { return --me().alive, lt::kSuccess; };
  api.preference_set = [](LtPreference, int, const void* value, std::size_t bytes) {
    if (bytes != 8) return 7;
    std::memcpy(&me().most_workspace_bytes, value, bytes);
    return lt::kSuccess;
  };
  api.heuristics = [](LtHandle, LtMatmulDescriptor, LtLayout, LtLayout, LtLayout, LtLayout,
                      LtPreference, int wanted, lt::HeuristicResult* results, int* found) {
    *found = 0;
    for (const lt::HeuristicResult& result : me().proposals) {
      if (*found < wanted) results[(*found)++] = result;
    }
    return me().heuristics_status;
  };
  // The identifier in 32 bits, everything else in 16, as the library has them.
  api.algorithm_get = [](const lt::Algorithm* algorithm, int attribute, void* value,
                         std::size_t bytes, std::size_t* written) {
    const bool is_small = attribute == lt::kAlgorithmCluster;
    if (bytes != (is_small ? 2u : 4u)) return 7;
    std::memset(value, 0, bytes);
    if (attribute == lt::kAlgorithmId) std::memcpy(value, &algorithm->data[0], bytes);
    *written = bytes;
    return lt::kSuccess;
  };
  api.matmul = [](LtHandle, LtMatmulDescriptor descriptor, const void* alpha, const void* a,
                  LtLayout la, const void* b, LtLayout lb, const void* beta, const void* c,
                  LtLayout lc, void* d, LtLayout ld, const lt::Algorithm* algorithm, void*,
                  std::size_t workspace_bytes, CuStream stream) {
    const auto& made = *reinterpret_cast<const Description*>(descriptor);
    const auto layout = [](LtLayout of) { return *reinterpret_cast<const Layout*>(of); };
    me().products.push_back({.compute = made.compute,
                             .epilogue = made.epilogue,
                             .transposed_a = made.transposed_a,
                             .alpha = *static_cast<const float*>(alpha),
                             .beta = *static_cast<const float*>(beta),
                             .a = layout(la),
                             .b = layout(lb),
                             .c = layout(lc),
                             .d = layout(ld),
                             .at_a = a,
                             .at_b = b,
                             .at_c = c,
                             .at_d = d,
                             .algorithm = algorithm->data[0],
                             .workspace_bytes = workspace_bytes});
    const auto refusal = me().refusals.find(algorithm->data[0]);
    if (refusal != me().refusals.end()) return refusal->second;
    CuFunction function = nullptr;
    const std::string name = "gemm_" + std::to_string(algorithm->data[0]);
    me().driver_.module_function(&function, nullptr, name.c_str());
    me().driver_.launch(function, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr);
    return lt::kSuccess;
  };
  return api;
}

}  // namespace strobe::bench
