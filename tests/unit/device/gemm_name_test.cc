#include "strobe/device/gemm_name.h"

#include <gtest/gtest.h>

namespace strobe::device {
namespace {

GemmName read(std::string_view name) {
  const auto gemm = gemm_name(name);
  EXPECT_TRUE(gemm) << name;
  return gemm.value_or(GemmName());
}

TEST(GemmNameTest, a_generation_of_kernels_names_its_tiles) {
  const GemmName gemm =
      read("ampere_fp16_s16816gemm_fp16_64x128_sliced1x2_ldg8_f2f_stages_64x5_tn");
  EXPECT_EQ(gemm.library, "ampere");
  EXPECT_EQ(gemm.architecture, "sm80");
  EXPECT_EQ(gemm.data_type, "f16");
  EXPECT_EQ(gemm.instruction, "16x8x16");
  EXPECT_EQ(gemm.accumulate, "f32");
  EXPECT_EQ(gemm.tile_m, 64);
  EXPECT_EQ(gemm.tile_n, 128);
  EXPECT_EQ(gemm.tile_k, 64);
  EXPECT_EQ(gemm.stages, 5);
  EXPECT_EQ(gemm.split, "sliced1x2");
  EXPECT_EQ(gemm.layout, "tn");
  EXPECT_EQ(gemm.align, 8);
  EXPECT_EQ(gemm.text(), "f16, tile 64x128x64, 5 stages, sliced1x2, tn");
}

TEST(GemmNameTest, older_generations_say_less) {
  EXPECT_EQ(read("volta_sgemm_128x32_nt").text(), "f32, tile 128x32, nt");
  EXPECT_EQ(read("volta_sgemm_128x32_nt").accumulate, "f32");
  const GemmName turing = read("turing_fp16_s1688gemm_fp16_128x128_ldg8_relu_f2f_tn");
  EXPECT_EQ(turing.architecture, "sm75");
  EXPECT_EQ(turing.instruction, "16x8x8");
  EXPECT_EQ(turing.epilogue, "relu");
  EXPECT_EQ(read("volta_h884gemm_256x128_ldg8_nn").data_type, "f16");
  EXPECT_EQ(read("volta_h884gemm_256x128_ldg8_nn").accumulate, "f16");
}

TEST(GemmNameTest, a_cut_name_is_read_as_far_as_it_goes) {
  const GemmName gemm = read("ampere_fp16_s16816gemm_fp16_64x128_ldg8_relu_f2...");
  EXPECT_EQ(gemm.text(), "f16, tile 64x128, relu");
  EXPECT_EQ(gemm.stages, 0);
}

TEST(GemmNameTest, cutlass_hides_it_in_the_kernels_argument) {
  const GemmName gemm =
      read("void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_128x128_16x5_nn_align8>(P)");
  EXPECT_EQ(gemm.library, "cutlass");
  EXPECT_EQ(gemm.architecture, "sm80");
  EXPECT_EQ(gemm.data_type, "tf32");
  EXPECT_EQ(gemm.align, 8);
  EXPECT_EQ(gemm.text(), "tf32, tile 128x128x16, 5 stages, nn");
  EXPECT_EQ(read("cutlass_80_tensorop_f16_s16816gemm_relu_f16_128x128_32x4_nn_align8").text(),
            "f16, tile 128x128x32, 4 stages, relu, nn");
  EXPECT_EQ(read("cutlass_80_simt_sgemm_128x64_8x5_nt_align1").data_type, "f32");
}

TEST(GemmNameTest, the_third_cutlass_names_its_cluster) {
  const GemmName gemm = read(
      "cutlass3x_sm90_tensorop_s64x128x16gemm_bf16_bf16_f32_bf16_bf16_128x128x64_2x1x1_0_tnn_"
      "align8_"
      "warpspecialized_cooperative_epi_tma");
  EXPECT_EQ(gemm.architecture, "sm90");
  EXPECT_EQ(gemm.instruction, "64x128x16");
  EXPECT_EQ(gemm.accumulate, "f32");
  EXPECT_EQ(gemm.text(), "bf16, tile 128x128x64, cluster 2x1x1, tnn");
}

TEST(GemmNameTest, xmma_spells_types_in_pairs) {
  const GemmName gemm = read(
      "sm80_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize128x64x16_stage4_warpsize2x2x1_tensor16x8x8_"
      "execute_kernel__5x_cublas");
  EXPECT_EQ(gemm.library, "xmma");
  EXPECT_EQ(gemm.architecture, "sm80");
  EXPECT_EQ(gemm.instruction, "16x8x8");
  EXPECT_EQ(gemm.accumulate, "f32");
  EXPECT_EQ(gemm.text(), "tf32, tile 128x64x16, 4 stages, nn");
  EXPECT_EQ(read("sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize32x32x64").accumulate, "f32");
}

TEST(GemmNameTest, nvjet_uses_letters) {
  const GemmName gemm = read("nvjet_sm90_hsh_192x128_64x5_1x2_h_bz_coopB_bias_TNT");
  EXPECT_EQ(gemm.architecture, "sm90");
  EXPECT_EQ(gemm.accumulate, "f32");
  EXPECT_EQ(gemm.text(), "f16, tile 192x128x64, 5 stages, cluster 1x2, bias, tnt");
  EXPECT_EQ(read("nvjet_sm90_tst_64x32_64x16_2x4_h_bz_splitK_bias_TNT").text(),
            "bf16, tile 64x32x64, 16 stages, cluster 2x4, splitK, bias, tnt");
  EXPECT_EQ(read("nvjet_sm90_tst_64x32_64x16_2x4_h_badd_NNT").epilogue, "badd");
  EXPECT_EQ(read("nvjet_sm90_xyz_64x32_64x16_2x4_h_bz_TNT").data_type, "");
}

TEST(GemmNameTest, other_kernels_have_no_fields) {
  for (const char* const name :
       {"", "Kernel", "vectorized_elementwise_kernel", "volta_scudnn_128x64_relu_small_nn_v1",
        "ampere_", "gemm", "void at::native::reduce_kernel<512, 1, ReduceOp<float> >(int)"}) {
    EXPECT_FALSE(gemm_name(name)) << name;
  }
}

TEST(GemmNameTest, sizes_that_do_not_fit_are_not_read) {
  EXPECT_EQ(read("volta_sgemm_99999999999x32_nt").tile_m, 0);
  EXPECT_EQ(read("volta_sgemm_64x_nt").tile_m, 0);
  EXPECT_EQ(read("volta_sgemm_64x-1_nt").tile_m, 0);
}

}  // namespace
}  // namespace strobe::device
