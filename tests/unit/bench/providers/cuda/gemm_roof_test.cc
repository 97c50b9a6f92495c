#include "strobe/bench/providers/cuda/gemm_roof.h"

#include <gtest/gtest.h>

#include "tests/unit/bench/providers/cuda/scripted_cublaslt.h"

namespace strobe::bench {
namespace {

TEST(GemmRoof, is_the_fastest_algorithms_rate_on_filled_matrices) {
  ScriptedDriver script;
  ScriptedCublasLt library(script.api());
  script.kernel_us = {{"gemm_11", 100}, {"gemm_12", 49}, {"gemm_13", 80}};
  const auto session = std::make_shared<CudaSession>(script.device());
  VendorLibraries libraries(
      {.cublaslt = [&](int) -> Result<CublasLtApi> { return library.api(); }, .cudnn = {}});
  const auto tflops = measure_gemm_tflops(session, libraries);
  ASSERT_TRUE(tflops) << tflops.error().what;
  // 2 * 2048^3 in 50 us: 49 of the kernel and 1 of the event.
  EXPECT_NEAR(*tflops, 2.0 * 2048 * 2048 * 2048 / 50 / 1e6, 1);
  EXPECT_EQ(script.count("launch strobe_fill"), 2u);
}

}  // namespace
}  // namespace strobe::bench
