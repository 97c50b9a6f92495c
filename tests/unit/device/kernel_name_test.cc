#include "strobe/device/kernel_name.h"

#include <gtest/gtest.h>

namespace strobe::device {
namespace {

struct Forms {
  std::string_view full;
  std::string_view seed;
  std::string_view detail;
};

TEST(KernelNameTest, what_tells_kernels_apart_is_kept) {
  const Forms rows[] = {
      {"void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_128x128_16x5_nn_align8>"
       "(cutlass_80_tensorop_s1688gemm_128x128_16x5_nn_align8::Params)",
       "Kernel", "Kernel[cutlass_80_tensorop_s1688gemm_128x128_16x5_nn_align8]"},
      {"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
       "at::detail::Array<char*, 3> >(int, at::native::CUDAFunctor_add<float>, "
       "at::detail::Array<char*, 3>)",
       "vectorized_elementwise_kernel", "vectorized_elementwise_kernel[add<f32>, vec4]"},
      {"void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<at::native::"
       "BinaryFunctor<float, float, float, at::native::binary_internal::MulFunctor<float> > >"
       "(at::TensorIteratorBase&, at::native::BinaryFunctor<float, float, float, "
       "at::native::binary_internal::MulFunctor<float> > const&)::{lambda(int)#1}>(int, T)",
       "elementwise_kernel", "elementwise_kernel[mul<f32>, strided]"},
      {"void at::native::vectorized_elementwise_kernel<4, at::native::cos_kernel_cuda("
       "at::TensorIteratorBase&)::{lambda()#2}::operator()() const::{lambda()#2}::operator()() "
       "const::{lambda(float)#1}, at::detail::Array<char*, 2> >(int)",
       "vectorized_elementwise_kernel", "vectorized_elementwise_kernel[cos, vec4]"},
      {"void at::native::(anonymous namespace)::distribution_elementwise_grid_stride_kernel<float, "
       "4, at::native::templates::cuda::normal_and_transform<float, float, at::CUDAGeneratorImpl*, "
       "at::native::templates::cuda::normal_kernel<at::CUDAGeneratorImpl*>(at::TensorBase const&, "
       "double, double, at::CUDAGeneratorImpl*)::{lambda()#1}::operator()() const::{lambda()#2}::"
       "operator()() const::{lambda(float)#1}>(at::TensorIteratorBase&, at::CUDAGeneratorImpl*)::"
       "{lambda(curandStatePhilox4_32_10*)#1}, void>(long)",
       "distribution_elementwise_grid_stride_kernel",
       "distribution_elementwise_grid_stride_kernel[rng normal<f32>]"},
      {"void (anonymous namespace)::softmax_warp_forward<c10::Half, c10::Half, float, 10, false, "
       "false>(c10::Half*, c10::Half const*, int, int, int, bool const*, int, bool)",
       "softmax_warp_forward", "softmax_warp_forward[f16→f16, acc f32, 2^10]"},
      {"triton_per_fused_add_native_layer_norm_0", "triton_per_fused_add_native_layer_norm_0",
       "triton_per_fused_add_native_layer_norm_0"},
      {"nvjet_sm90_hsh_192x128_64x5_1x2_h_bz_coopB_bias_TNT",
       "nvjet_sm90_hsh_192x128_64x5_1x2_h_bz_coopB_bias_TNT",
       "nvjet_sm90_hsh_192x128_64x5_1x2_h_bz_coopB_bias_TNT"},
  };
  for (const Forms& row : rows) {
    EXPECT_EQ(classic_name(row.full), row.seed) << row.full;
    EXPECT_EQ(short_name(row.full), row.seed) << row.full;
    EXPECT_EQ(detail_name(row.full), row.detail) << row.full;
  }
}

TEST(KernelNameTest, a_tool_that_simplifies_names_leads_to_the_same_detail) {
  EXPECT_EQ(
      detail_name("void at::vectorized_elementwise_kernel<8, at::BUnaryFunctor<c10::Half, "
                  "c10::Half, c10::Half, binary_internal::MulFunctor<float>>, std::array<char "
                  "*, 2>>(int, T2, T3)"),
      "vectorized_elementwise_kernel[mul_scalar<f16>, vec8]");
  EXPECT_EQ(detail_name("void at::elementwise_kernel<128, 4, void at::gpu_kernel_impl_nocast<at::"
                        "CUDAFunctor_add<c10::Half>>(at::TensorIteratorBase &, const T1 &)::[lambda"
                        "(int) (instance 1)]>(int, T3)"),
            "elementwise_kernel[add<f16>, strided]");
  EXPECT_EQ(detail_name("void <unnamed>::softmax_warp_forward<c10::Half, c10::Half, float, 10, 0, "
                        "0>(T2 *, const T1 *, int)"),
            "softmax_warp_forward[f16→f16, acc f32, 2^10]");
  EXPECT_EQ(
      classic_name("void at::<unnamed>::vectorized_layer_norm_kernel<c10::Half, float, 0>(int)"),
      "at::vectorized_layer_norm_kernel");
}

TEST(KernelNameTest, a_cut_name_has_no_detail) {
  EXPECT_EQ(detail_name("Kernel"), "Kernel");
  EXPECT_EQ(detail_name("vectorized_elementwise_kernel"), "vectorized_elementwise_kernel");
  EXPECT_EQ(detail_name("ampere_fp16_s16816gemm_fp16_64x128_ldg8_relu_f2..."),
            "ampere_fp16_s16816gemm_fp16_64x128_ldg8_relu_f2...");
}

TEST(KernelNameTest, mangled_names_are_read) {
  EXPECT_EQ(classic_name("_Z6k_copyPK6float4PS_m"), "k_copy");
  EXPECT_EQ(short_name("_ZN3foo5scaleILi4EEEvPfif"), "scale");
  EXPECT_EQ(detail_name("_ZN3foo5scaleILi4EEEvPfif"), "scale[4]");
  EXPECT_EQ(short_name("_Znonsense!"), "_Znonsense!");
}

TEST(KernelNameTest, the_removals_come_before_the_cuts) {
  EXPECT_EQ(classic_name("(anonymous namespace)::k<int>(int)"), "k");
  EXPECT_EQ(classic_name("void <unnamed>::k(int)"), "k");
  EXPECT_EQ(classic_name("void cask_cudnn::computeOffsetsKernel(cask_cudnn::P)"),
            "cask_cudnn::computeOffsetsKernel");
}

TEST(KernelNameTest, no_form_of_a_name_that_says_something_is_empty) {
  for (const std::string name :
       {"<", "(", "<unnamed>::", "(anonymous namespace)::", "void ", "::", ")", "operator()",
        "{lambda()#1}", "[CUDA memcpy HtoD]", "Memset (Device)", " ", "\xff\xfe<", "a<b"}) {
    EXPECT_NE(classic_name(name), "") << name;
    EXPECT_NE(short_name(name), "") << name;
    EXPECT_NE(detail_name(name), "") << name;
  }
  EXPECT_EQ(classic_name(""), "");
  EXPECT_EQ(short_name(""), "");
  EXPECT_EQ(detail_name(""), "");
}

TEST(KernelNameTest, deep_and_long_names_cost_no_more_than_their_length) {
  std::string nested = "void k<";
  std::string operators;
  for (int i = 0; i < 10'000; ++i) {
    nested += "BinaryFunctor<";
    operators += "operator::";
  }
  const std::string deep[] = {
      std::string(100'000, '<'),
      std::string(100'000, '('),
      "k" + std::string(100'000, '<'),
      "k<" + std::string(100'000, ','),
      "k" + std::string(50'000, '(') + std::string(50'000, ')'),
      "k<" + std::string(50'000, '<') + std::string(50'000, '>') + ">",
      "a" + std::string(100'000, ':'),
      "k<" + std::string(100'000, 'o') + "perator<<<<<",
      std::string(100'000, ' '),
      nested,
      operators,
  };
  for (const std::string& name : deep) {
    EXPECT_FALSE(classic_name(name).empty());
    EXPECT_FALSE(short_name(name).empty());
    EXPECT_FALSE(detail_name(name).empty());
  }
}

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

TEST(TableNameTest, a_name_of_more_than_50_characters_is_cut_to_47_and_dots) {
  EXPECT_EQ(table_name(""), "");
  EXPECT_EQ(table_name(std::string(50, 'a')), std::string(50, 'a'));
  EXPECT_EQ(table_name(std::string(51, 'a')), std::string(47, 'a') + "...");
}

TEST(TableNameTest, a_character_of_several_bytes_is_one) {
  std::string fifty;
  std::string cut;
  for (int i = 0; i < 50; ++i) fifty += "é";
  for (int i = 0; i < 47; ++i) cut += "é";
  EXPECT_EQ(table_name(fifty), fifty);
  EXPECT_EQ(table_name(fifty + "é"), cut + "...");
}

}  // namespace
}  // namespace strobe::device
