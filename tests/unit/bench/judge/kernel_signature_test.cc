#include "strobe/bench/judge/kernel_signature.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/bench_sketch.h"

namespace strobe::bench {
namespace {

using ::testing::ElementsAre;

constexpr const char* kAdd =
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
    "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)";
constexpr const char* kMul =
    "void at::native::vectorized_elementwise_kernel<4, at::native::BinaryFunctor<float, float, "
    "float, at::native::binary_internal::MulFunctor<float> >, std::array<char*, 3ul> >(int)";

CellRecord ran(std::vector<KernelLaunch> kernels) {
  CellRecord record = sketched_cell("c", {{8, 8}}, "eager", 1);
  record.kernels = std::move(kernels);
  return record;
}

TEST(KernelSignature, names_with_functor_grid_and_block_in_order) {
  EXPECT_EQ(
      signature_of(std::vector<KernelLaunch>{
          {.name = kAdd, .grid = {64, 2, 1}, .block = {128, 1, 1}}, {.name = "triton_poi_0"}}),
      "vectorized_elementwise_kernel[add<f32>, vec4] 64x2x1 128x1x1; triton_poi_0 1x1x1 1x1x1");
  EXPECT_EQ(signature_of({}), "");
}

TEST(KernelSignature, the_same_name_with_another_functor_is_another_kernel) {
  EXPECT_TRUE(ran_the_same(ran({{.name = kAdd}}), ran({{.name = kAdd}})));
  EXPECT_FALSE(ran_the_same(ran({{.name = kAdd}}), ran({{.name = kMul}})));
  EXPECT_FALSE(ran_the_same(ran({{.name = kAdd}}), ran({{.name = kAdd, .grid = {2, 1, 1}}})));
  EXPECT_FALSE(ran_the_same(ran({}), ran({})));  // unknown
}

TEST(KernelSignature, a_compiled_provider_that_ran_the_librarys_kernels_fell_back) {
  const CellRecord eager = ran({{.name = kMul}, {.name = kAdd}});
  EXPECT_TRUE(fell_back(eager, ran({{.name = kAdd}, {.name = "copy"}, {.name = kMul}})));
  EXPECT_FALSE(fell_back(eager, ran({{.name = kAdd}})));
  EXPECT_FALSE(fell_back(eager, ran({{.name = kAdd}, {.name = kMul}, {.name = "triton_poi_0"}})));
  EXPECT_FALSE(fell_back(eager, ran({})));
  EXPECT_FALSE(fell_back(ran({{.name = "strobe_cos"}}), ran({{.name = kAdd}})));
  EXPECT_FALSE(fell_back(ran({}), ran({{.name = kAdd}})));
}

// A library's product with a fused tail differs from the product and a kernel for the tail.
TEST(KernelSignature, a_library_that_needs_no_generated_kernel_did_not_fall_back) {
  const CellRecord unfused = ran({{.name = kMul}, {.name = "strobe_relu"}});
  EXPECT_FALSE(fell_back(unfused, ran({{.name = kMul}})));
  EXPECT_FALSE(fell_back(unfused, ran({{.name = kMul}, {.name = kAdd}})));
  // PyTorch through cuDNN is cuDNN's kernel and a memset.
  const CellRecord cudnn = ran({{.name = "cudnn_sdpa"}});
  CellRecord contender = ran({{.name = "Memset (Device)"}, {.name = "cudnn_sdpa"}});
  for (const char* library : {"torch-sdpa-cudnn", "torch-eager", "cudnn", "cublaslt"}) {
    contender.cell.provider = library;
    EXPECT_FALSE(fell_back(cudnn, contender)) << library;
  }
  contender.cell.provider = "torch-inductor";
  EXPECT_TRUE(fell_back(cudnn, contender));
}

// The seed compared an fp16 product with a TF32 one.
TEST(KernelSignature, products_in_different_precisions_are_told) {
  const CellRecord half =
      ran({{.name = "ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_nn"}});
  const CellRecord tf32 = ran(
      {{.name =
            "void "
            "cutlass::Kernel<cutlass_80_tensorop_s1688gemm_128x128_16x5_nn_align8>(T1::Params)"},
       {.name = "triton_0d1d2d"}});
  EXPECT_EQ(math_difference(half, tf32), "tf32 against f16");
  EXPECT_EQ(math_difference(half, half), "");
  EXPECT_EQ(math_difference(half, ran({{.name = kAdd}})), "");  // unknown
}

TEST(KernelSignature, a_pair_is_judged_on_the_contenders_record_and_once) {
  const CellRecord eager = ran({{.name = kAdd}});
  CellRecord contender = ran({{.name = kAdd}});
  judge_pair(eager, contender);
  judge_pair(eager, contender);
  EXPECT_THAT(contender.flags, ElementsAre(CellFlag::kSameKernels, CellFlag::kFellBack));
  EXPECT_THAT(contender.notes,
              ElementsAre("ran the kernels of eager",
                          "fell back to eager: no generated kernel among its own"));
}

TEST(KernelSignature, a_pair_that_differs_gets_no_flag) {
  CellRecord contender = ran({{.name = "triton_poi_0"}});
  judge_pair(ran({{.name = kAdd}}), contender);
  EXPECT_TRUE(contender.flags.empty());
  EXPECT_TRUE(contender.notes.empty());
}

}  // namespace
}  // namespace strobe::bench
