#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace strobe::device {

// What a matrix kernel of a library says of itself in its name; "" and 0 where it does not.
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

// Of a name as it is, of the class inside `cutlass::Kernel<…>`, and of a name that was cut, as far
// as it goes.
std::optional<GemmName> gemm_name(std::string_view full);

}  // namespace strobe::device
