#include "strobe/bench/providers/cuda/glue_kernels.h"

#include <gtest/gtest.h>

#include "strobe/bench/providers/cuda/nvrtc.h"

namespace strobe::bench {
namespace {

std::vector<GeneratedKernel> every_kernel(DType dtype) {
  return {kernels::add(dtype, "a", "b", "out", 1000),
          kernels::relu(dtype, "a", "out", 1000),
          kernels::scale(dtype, "a", "out", 0.5f, 1000),
          kernels::add_mask(dtype, "a", "b", "out", 1000, 100),
          kernels::add_mask(dtype, "a", "b", "out", 1000, 64),
          kernels::softmax(dtype, "a", "out", 4, 128),
          kernels::softmax(dtype, "a", "out", 4, 8192),
          kernels::softmax(dtype, "a", "out", 4, 131),
          kernels::softmax(dtype, "a", "out", 4, 65536),
          kernels::heads_first(dtype, "a", "out", {{2, 3, 4, 64}}),
          kernels::heads_first(dtype, "a", "out", {{2, 3, 4, 5}}),
          kernels::batch_norm(dtype, "a", "out", 640, 64),
          kernels::causal_mask(dtype, "out", 30),
          kernels::zeros(dtype, "out", 64),
          kernels::folded_filters(dtype, "a", "out", 64, 9),
          kernels::folded_bias(dtype, "out", 64)};
}

class LibraryKernelsFor : public ::testing::TestWithParam<int> {};

TEST_P(LibraryKernelsFor, compile_in_every_type) {
  const auto nvrtc = open_nvrtc(13);
  if (!nvrtc) GTEST_SKIP() << nvrtc.error().what;
  for (const DType dtype : {DType::kF32, DType::kF16, DType::kBf16}) {
    for (const GeneratedKernel& kernel : every_kernel(dtype)) {
      const auto compiled = compile_source(*nvrtc, kernel.source, kernel.name, GetParam());
      ASSERT_TRUE(compiled) << dtype_name(dtype) << " " << kernel.name << "\n"
                            << compiled.error().hint << kernel.source;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Chips, LibraryKernelsFor, ::testing::Values(80, 86, 90));

}  // namespace
}  // namespace strobe::bench
