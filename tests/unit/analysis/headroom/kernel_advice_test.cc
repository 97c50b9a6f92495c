#include "strobe/analysis/headroom/kernel_study.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/support/kernel_sketch.h"

namespace strobe::analysis {
namespace {

using ::testing::HasSubstr;

std::vector<KernelAdvice> advice_on(KernelSketch& sketch) {
  const KernelTable table = sketch.table();
  return advise(study_kernels(table));
}

const KernelAdvice* with_code(const std::vector<KernelAdvice>& all, std::string_view code) {
  const auto found = std::ranges::find_if(
      all, [&](const KernelAdvice& advice) { return advice.finding.code == code; });
  return found == all.end() ? nullptr : &*found;
}

// Of 100 us the products take 40, and the kernels between them 30.
TEST(KernelAdviceTest, attention_takes_its_two_products_along) {
  KernelSketch sketch;
  sketch.launch("gemm_qk", 20'000, 70, 10)
      .launch("elementwise_kernel", 10'000, 0, 10)
      .launch("softmax_warp_forward", 20'000, 0, 10)
      .launch("gemm_v", 20'000, 70, 10)
      .launch("other_gemm", 30'000, 70, 10);
  const auto all = advice_on(sketch);
  const KernelAdvice* advice = with_code(all, "fuse_attention");
  ASSERT_NE(advice, nullptr);
  EXPECT_DOUBLE_EQ(advice->finding.share, 0.7);
  EXPECT_EQ(advice->finding.weight, FindingWeight::kMatters);
  EXPECT_EQ(
      advice->finding.headline,
      "70.0 % of the time (70.0 us) goes into what looks like attention: once, 2 kernels (softmax "
      "among them) run between two matrix products; these kernels take 30.0 us");
  EXPECT_EQ(advice->basis.rows, (std::vector<std::size_t>{0, 1, 2, 3}));
  EXPECT_EQ(advice->basis.confidence, "by structure");
}

TEST(KernelAdviceTest, an_unknown_chain_is_described_plainly) {
  KernelSketch sketch;
  for (int i = 0; i < 3; ++i) sketch.launch("elementwise_kernel", 20'000, 0, 10);
  const auto all = advice_on(sketch);
  const KernelAdvice* advice = with_code(all, "fuse_chain");
  ASSERT_NE(advice, nullptr);
  EXPECT_EQ(
      advice->finding.headline,
      "3 elementwise kernels in a row, once, take 100.0 % of the time (60.0 us), up to 40.0 us "
      "saved as one kernel");
  EXPECT_EQ(advice->basis.saved_ns, 40'000);
}

// 3 x 60 us at 40 % leave 108 us of headroom; the fourth launch of that name 36 us more.
TEST(KernelAdviceTest, equal_products_in_a_row_that_idle_should_be_one) {
  KernelSketch sketch;
  for (int i = 0; i < 3; ++i) sketch.launch("small_gemm", 60'000, 40, 8);
  sketch.launch("elementwise_kernel", 60'000, 0, 10).launch("small_gemm", 60'000, 40, 8);
  const auto all = advice_on(sketch);
  const KernelAdvice* advice = with_code(all, "merge_products");
  ASSERT_NE(advice, nullptr);
  EXPECT_DOUBLE_EQ(advice->finding.share, 0.36);
  EXPECT_EQ(advice->finding.headline,
            "3 equal matrix products in a row, once, keep the matrix pipe 40.0 % busy: headroom "
            "36.0 % of the time (108 us), 48.0 % with all 4 launches of this kernel");
  EXPECT_THAT(advice->finding.advice, HasSubstr("q, k and v"));
}

TEST(KernelAdviceTest, products_of_different_shape_or_with_a_busy_pipe_stay_apart) {
  KernelSketch shapes;
  shapes.launch("small_gemm", 60'000, 40, 8).shape(8, 128);
  shapes.launch("small_gemm", 60'000, 40, 8).shape(16, 128);
  EXPECT_EQ(with_code(advice_on(shapes), "merge_products"), nullptr);
  KernelSketch busy;
  for (int i = 0; i < 3; ++i) busy.launch("big_gemm", 60'000, 80, 8);
  EXPECT_TRUE(advice_on(busy).empty());
}

TEST(KernelAdviceTest, many_equal_products_are_better_grouped) {
  KernelSketch sketch;
  for (int i = 0; i < 8; ++i) sketch.launch("expert_gemm", 60'000, 40, 8);
  const auto all = advice_on(sketch);
  ASSERT_NE(with_code(all, "merge_products"), nullptr);
  EXPECT_THAT(with_code(all, "merge_products")->finding.advice, HasSubstr("grouped"));
}

TEST(KernelAdviceTest, a_product_with_small_tiles_is_told_with_its_headroom) {
  KernelSketch sketch;
  sketch.launch("ampere_fp16_s16816gemm_fp16_64x128_ldg8_relu_f2f_tn", 100'000, 40, 8);
  const auto all = advice_on(sketch);
  const KernelAdvice* advice = with_code(all, "small_tiles");
  ASSERT_NE(advice, nullptr);
  EXPECT_EQ(
      advice->finding.headline,
      "1 matrix product with tiles of 64x128 keeps the matrix pipe 40.0 % busy: headroom 60.0 % "
      "of the time (60.0 us)");
  KernelSketch large;
  large.launch("ampere_fp16_s16816gemm_fp16_256x128_ldg8_relu_f2f_tn", 100'000, 40, 8);
  EXPECT_EQ(with_code(advice_on(large), "small_tiles"), nullptr);
}

TEST(KernelAdviceTest, short_kernels_are_told_unless_a_chain_has_claimed_them) {
  KernelSketch sketch;
  sketch.launch("a", 5'000, 0, 0).launch("big_gemm", 75'000, 80, 8).launch("b", 20'000, 0, 0);
  sketch.launch("other_gemm", 90'000, 80, 8).launch("b", 5'000, 0, 0).launch("a", 5'000, 0, 0);
  const auto all = advice_on(sketch);
  const KernelAdvice* chain = with_code(all, "fuse_chain");
  ASSERT_NE(chain, nullptr);
  EXPECT_EQ(chain->basis.rows, (std::vector<std::size_t>{4, 5}));
  const KernelAdvice* advice = with_code(all, "short_kernels");
  ASSERT_NE(advice, nullptr);
  EXPECT_EQ(advice->finding.headline,
            "2.5 % of the time (5.00 us) goes into 1 launch shorter than 10 us, without those "
            "named above: starting them costs as much as their work; the longest run of short "
            "kernels has 2, starting at row 4");
  EXPECT_EQ(advice->basis.rows, std::vector<std::size_t>{0});
}

TEST(KernelAdviceTest, at_the_roof_there_is_nothing_to_win) {
  KernelSketch sketch;
  sketch.launch("copy_like_kernel", 100'000, 0, 88);
  const auto all = advice_on(sketch);
  const KernelAdvice* advice = with_code(all, "at_dram_roof");
  ASSERT_NE(advice, nullptr);
  EXPECT_EQ(advice->finding.weight, FindingWeight::kNote);
  EXPECT_EQ(advice->basis.saved_ns, 0);
  KernelSketch below;
  below.launch("copy_like_kernel", 100'000, 0, 80);
  EXPECT_EQ(with_code(advice_on(below), "at_dram_roof"), nullptr);
}

TEST(KernelAdviceTest, a_layer_that_takes_longer_is_told) {
  KernelSketch sketch;
  for (int layer = 0; layer < 6; ++layer) {
    sketch.launch("vectorized_layer_norm_kernel", 20'000, 1, 70);
    sketch.launch("big_gemm", layer == 4 ? 120'000 : 60'000, 80, 8);
  }
  const auto all = advice_on(sketch);
  const KernelAdvice* advice = with_code(all, "odd_layers");
  ASSERT_NE(advice, nullptr);
  EXPECT_THAT(advice->finding.headline, HasSubstr("layer 4 takes 140 us, the median 80.0 us"));
  EXPECT_EQ(advice->basis.rows, std::vector<std::size_t>{8});
}

TEST(KernelAdviceTest, what_weighs_most_comes_first_and_no_advice_is_without_a_number) {
  KernelSketch sketch;
  for (int i = 0; i < 2; ++i) sketch.launch("small_gemm", 60'000, 40, 8);
  for (int i = 0; i < 3; ++i) sketch.launch("elementwise_kernel", 9'000, 0, 10);
  sketch.launch("big_gemm", 60'000, 80, 8).launch("elementwise_kernel", 9'000, 0, 10);
  const auto all = advice_on(sketch);
  ASSERT_GE(all.size(), 3u);
  for (std::size_t i = 1; i < all.size(); ++i) {
    const Finding& before = all[i - 1].finding;
    const Finding& after = all[i].finding;
    EXPECT_TRUE(before.weight > after.weight ||
                (before.weight == after.weight && before.share >= after.share));
  }
  for (const KernelAdvice& advice : all) {
    EXPECT_THAT(advice.finding.headline, HasSubstr("%"));
    EXPECT_GT(advice.finding.share, 0);
    EXPECT_GT(advice.basis.launches, 0u);
    EXPECT_FALSE(advice.basis.rows.empty());
    EXPECT_FALSE(advice.basis.confidence.empty());
  }
}

TEST(KernelAdviceTest, nothing_gets_no_advice) {
  KernelSketch empty;
  EXPECT_TRUE(advice_on(empty).empty());
  KernelSketch zero;
  zero.launch("k", 0);
  EXPECT_TRUE(advice_on(zero).empty());
}

}  // namespace
}  // namespace strobe::analysis
