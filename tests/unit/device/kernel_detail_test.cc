#include "strobe/device/kernel_detail.h"

#include <gtest/gtest.h>

namespace strobe::device {
namespace {

TEST(KernelDetailTest, layouts_known_by_heart_are_read_by_place) {
  EXPECT_EQ(kernel_detail("softmax_warp_forward", "c10::Half, c10::Half, float, 10, false, false"),
            "f16→f16, acc f32, 2^10");
  EXPECT_EQ(kernel_detail("softmax_warp_backward", "float, float, float, 10, true"),
            "f32→f32, acc f32, 2^10, log");
  EXPECT_EQ(kernel_detail("vectorized_layer_norm_kernel", "c10::Half, float, 1"),
            "f16, acc f32, rms");
  EXPECT_EQ(kernel_detail("flash_fwd_kernel",
                          "Flash_fwd_kernel_traits<64, 128, 32, 4, false, false, cutlass::half_t, "
                          "Flash_kernel_traits<64> >, false, true, false"),
            "f16, head 64, tile 128x32, 4 warps, causal");
}

TEST(KernelDetailTest, width_is_known_at_either_end) {
  EXPECT_EQ(kernel_detail("vectorized_elementwise_kernel", "(int)4, FillFunctor<int>, at::detail"),
            "fill<i32>, vec4");
  EXPECT_EQ(kernel_detail("VectorizedElementwiseKernel",
                          "phi::dtype::float16, phi::ScaleFunctor<phi::dtype::float16, float>, 1, "
                          "1, 4"),
            "scale<f16>, vec4");
}

TEST(KernelDetailTest, a_cast_on_the_way_is_told) {
  EXPECT_EQ(kernel_detail("unrolled_elementwise_kernel",
                          "at::native::direct_copy_kernel_cuda(A&)::{lambda(float)#1}, "
                          "std::array<char*, 2ul>, 4, at::native::memory::LoadWithCast<1>, "
                          "at::native::memory::StoreWithCast<1>"),
            "copy<f32>, cast");
}

TEST(KernelDetailTest, random_numbers_are_named_by_what_they_become) {
  EXPECT_EQ(kernel_detail("distribution_elementwise_grid_stride_kernel",
                          "float, 4, at::uniform_and_transform<float, float, "
                          "at::exponential_kernel<G*>(T&, double)::{lambda(float)#1}>(T&)::"
                          "{lambda(int)#1}"),
            "rng exponential<f32>");
}

TEST(KernelDetailTest, other_kernels_show_types_and_numbers) {
  EXPECT_EQ(kernel_detail("wgrad_alg0_engine", "float, 128, 5, 5, 3, 3, 3, false, 512"),
            "f32, 128, 5, 5, 3, 3, 3, 0, 512");
  EXPECT_EQ(kernel_detail("RMSNormKernel", "8u, __nv_bfloat16"), "8, bf16");
  EXPECT_EQ(kernel_detail("BatchPrefill", "KernelTraits<(MaskMode)0, 16u, __nv_bfloat16>, Params"),
            "0, 16, bf16");
  EXPECT_EQ(kernel_detail("act_and_mul_kernel", "half, &(float silu<float>(float const&))"),
            "f16, silu<f32>");
  EXPECT_EQ(kernel_detail("k", ""), "");
  EXPECT_EQ(kernel_detail("k", "float*"), "");
}

TEST(KernelDetailTest, a_long_list_ends_in_dots) {
  std::string arguments = "float";
  for (int i = 0; i < 100; ++i) arguments += ", " + std::to_string(i);
  const std::string detail = kernel_detail("k", arguments);
  EXPECT_LT(detail.size(), 60U);
  EXPECT_TRUE(detail.ends_with("…"));
}

}  // namespace
}  // namespace strobe::device
