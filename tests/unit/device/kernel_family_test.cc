#include "strobe/device/kernel_family.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace strobe::device {
namespace {

void expect_family(std::string_view family, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) EXPECT_EQ(word_of(kernel_family(name)), family) << name;
}

TEST(KernelFamilyTest, the_classic_tables_names_have_their_families) {
  expect_family("gemm", {"ampere_fp16_s16816gemm_fp16_64x128_ldg8_relu_f2...", "Kernel"});
  expect_family("softmax", {"softmax_warp_forward"});
  expect_family("norm", {"vectorized_layer_norm_kernel"});
  expect_family("concat", {"CatArrayBatchedCopy"});
  expect_family("gather", {"index_elementwise_kernel", "indexSelectLargeIndex"});
  expect_family("elementwise", {"vectorized_elementwise_kernel", "elementwise_kernel",
                                "unrolled_elementwise_kernel", "elementwise_kernel_with_index"});
}

TEST(KernelFamilyTest, collectives_come_before_the_reductions_they_name) {
  expect_family("collective",
                {"ncclDevKernel_AllReduce_Sum_f16_RING_LL(ncclDevKernelArgsStorage<4>)",
                 "void vllm::cross_device_reduce_1stage<half, 8>(RankData*)",
                 "ncclKernel_ReduceScatter_RING_LL_Sum_float", "hcom_allReduce__442",
                 "flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel<int>()",
                 "void deep_ep::intranode::dispatch<int>(int4*)"});
}

TEST(KernelFamilyTest, a_library_s_collective_builder_is_a_product) {
  expect_family("gemm", {"void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cute::"
                         "tuple<int>, cutlass::gemm::collective::CollectiveMma<int> > >(P)",
                         "void cutlass::Kernel2<cutlass_80_wmma_tensorop_f16_s161616gemm>(P)"});
}

TEST(KernelFamilyTest, products_are_known_by_many_names) {
  expect_family("gemm",
                {"nvjet_sm90_tst_64x16_64x16_1x4_h_bz_NNT", "sm80_xmma_gemm_f16f16_f16f32_f32_tn_n",
                 "void cublasLt::splitKreduce_kernel<32, 16>(int)", "void gemvNSP_kernel<float>(P)",
                 "Cijk_Ailk_Bljk_HHS_BH_MT128x128x16_SE", "MatMulV2", "fused_moe_kernel",
                 "triton_tem_fused_addmm_relu_3", "void marlin::Marlin<int>(int4*)",
                 "MLUUnion1KernelMatMul", "triton_mm", "aclnnMatmul_MatMulCommon_MatMulV2",
                 "std::enable_if<true, void>::type internal::gemvx::kernel<int, half>(int)"});
}

TEST(KernelFamilyTest, convolutions_computed_as_products_are_convolutions) {
  expect_family("conv",
                {"void implicit_convolve_sgemm<float, float, 128>(int)", "Conv2D",
                 "sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc",
                 "volta_scudnn_128x64_relu_small_nn_v1", "volta_fp16_s884cudnn_fp16_128x128_ldg8",
                 "void cutlass::Kernel<cutlass_80_tensorop_s1688fprop_optimized_tf32>(P)",
                 "void cudnn::winograd_nonfused::winogradForwardData4x4<float>(P)",
                 "void at::native::im2col_kernel<float>(long)", "causal_conv1d_fwd_kernel",
                 "triton_tem_fused_convolution_4"});
  EXPECT_NE(kernel_family("convert_f32_to_f16_kernel"), KernelFamily::kConv);
}

TEST(KernelFamilyTest, attention_is_not_every_kernel_of_its_library) {
  expect_family("attention", {"void flash_fwd_kernel<Flash_fwd_kernel_traits<64> >(P)",
                              "fmha_cutlassF_f16_aligned_64x64_rf_sm80(P)", "FlashAttentionScore",
                              "void cutlass::device_kernel<flash::FlashAttnFwdSm90<int> >(P)",
                              "cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16",
                              "void flashinfer::BatchPrefillWithPagedKVCacheKernel<int>(P)"});
  expect_family("norm", {"void flashinfer::norm::RMSNormKernel<8u, __nv_bfloat16>(int)"});
  expect_family("elementwise", {"void flashinfer::activation::act_and_mul_kernel<half>(half*)",
                                "void vllm::rotary_embedding_kernel<half, true>(long const*)"});
  expect_family("copy", {"void vllm::reshape_and_cache_flash_kernel<half>(half*)"});
  expect_family("other", {"create_flashinfer_kv_indices_triton"});
}

TEST(KernelFamilyTest, a_generated_kernel_is_what_its_tag_says) {
  expect_family("elementwise", {"triton_poi_fused_add_native_layer_norm_1",
                                "triton_poi_fused_addmm_relu_0", "triton_for_fused_0"});
  expect_family("norm", {"triton_per_fused_add_native_layer_norm_0",
                         "triton_red_fused_add_mean_mul_pow_rsqrt_2"});
  expect_family("softmax", {"triton_red_fused__softmax_3"});
  expect_family("reduce",
                {"triton_red_fused_sum_1", "triton_per_fused_convolution_backward_sum_4"});
}

TEST(KernelFamilyTest, the_short_name_counts_more_than_its_arguments) {
  expect_family(
      "elementwise",
      {"void at::native::vectorized_elementwise_kernel<4, softmax_kernel_impl(A&)::{lambda"
       "(float)#1}>(int)"});
  expect_family("reduce",
                {"void at::native::reduce_kernel<512, 1, ReduceOp<float, NormOps<float> > "
                 ">(int)"});
  expect_family("rng",
                {"void at::native::distribution_elementwise_grid_stride_kernel<float>(long)"});
}

TEST(KernelFamilyTest, moves_of_memory_are_copies) {
  expect_family("copy",
                {"Memcpy HtoD (Pageable -> Device)", "Memset (Device)", "[CUDA memcpy DtoD]",
                 "void nchwToNhwcKernel<float>(int)", "__amd_rocclr_fillBufferAligned",
                 "__amd_rocclr_copyBuffer", "k_copy(float4 const*, float4*)"});
}

TEST(KernelFamilyTest, what_no_rule_knows_is_other) {
  expect_family("other",
                {"", "<", "k_empty()", "void cub::DeviceRadixSortOnesweepKernel<int>(int*)",
                 "void at::native::sbtopk::gatherTopK<float, unsigned int, 1, false>(T)",
                 "void flashinfer::sampling::TopKTopPSamplingFromProbKernel<int>(float*)"});
}

TEST(KernelFamilyTest, every_family_has_a_word_of_its_own) {
  std::set<std::string> words;
  for (int i = 0; i < static_cast<int>(KernelFamily::kCount_); ++i) {
    words.emplace(word_of(static_cast<KernelFamily>(i)));
  }
  EXPECT_EQ(words.size(), static_cast<std::size_t>(KernelFamily::kCount_));
}

}  // namespace
}  // namespace strobe::device
