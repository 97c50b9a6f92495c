#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace strobe::device {

// The properties of a library's matrix kernel, read from its name; "" and 0 if unknown.
struct GemmName {
  std::string library;  // "cutlass", "nvjet", "xmma", "ampere" (a generation of cuBLAS kernels)
  std::string architecture;  // "sm80", "sm90"
  std::string data_type;     // "f16", "bf16", "tf32"
  std::string instruction;   // "16x8x16"
  std::string accumulate;    // "f32", "f16"
  int tile_m = 0;
  int tile_n = 0;
  int tile_k = 0;
  int stages = 0;
  std::string cluster;   // "1x2"
  std::string split;     // "sliced1x2", "splitK"
  std::string epilogue;  // "relu", "bias"
  std::string layout;    // "tn"
  int align = 0;         // elements of one load

  std::string text() const;  // "f16, tile 64x128x32, 5 stages, tn"
};

// Accepts the name itself, the class inside `cutlass::Kernel<…>`, and truncated names as far as
// they go.
std::optional<GemmName> gemm_name(std::string_view full);

}  // namespace strobe::device
