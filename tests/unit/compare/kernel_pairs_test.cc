#include "strobe/compare/kernel_diff.h"

#include <gtest/gtest.h>

#include "tests/support/kernel_sketch.h"

namespace strobe::compare {
namespace {

using analysis::study_kernels;
using Times = std::vector<double>;

std::vector<KernelPair> pairs_of(KernelSketch& before, KernelSketch& after,
                                 KernelSource after_source = KernelSource::kTextTable) {
  const KernelTable a = before.table();
  KernelTable b = after.table();
  b.source = after_source;
  return pair_kernels(study_kernels(a), study_kernels(b));
}

TEST(KernelPairsTest, names_of_both_sides_meet_and_the_others_stand_alone) {
  KernelSketch before;
  before.launch("a", 1).launch("b", 2).launch("a", 3);
  KernelSketch after;
  after.launch("c", 4).launch("a", 5);
  const auto pairs = pairs_of(before, after);
  ASSERT_EQ(pairs.size(), 3u);
  EXPECT_EQ(pairs[0].name, "a");
  EXPECT_EQ(pairs[0].before.launches, 2u);
  EXPECT_EQ(pairs[0].after.latency_ns, 5);
  ASSERT_EQ(pairs[0].strata.size(), 1u);
  EXPECT_EQ(pairs[0].strata[0].before_ns, (Times{1, 3}));
  EXPECT_EQ(pairs[0].strata[0].after_ns, Times{5});
  EXPECT_EQ(pairs[1].after.launches, 0u);
  EXPECT_EQ(pairs[2].name, "c");
}

TEST(KernelPairsTest, launches_of_one_shape_are_alike) {
  KernelSketch before;
  before.launch("a", 1).shape(8, 128).launch("a", 20).shape(64, 128);
  KernelSketch after;
  after.launch("a", 21).shape(64, 128).launch("a", 2).shape(8, 128);
  const auto pairs = pairs_of(before, after);
  ASSERT_EQ(pairs[0].strata.size(), 2u);
  EXPECT_EQ(pairs[0].strata[0].before_ns, Times{1});
  EXPECT_EQ(pairs[0].strata[0].after_ns, Times{2});
  EXPECT_EQ(pairs[0].strata[1].after_ns, Times{21});
}

TEST(KernelPairsTest, without_shapes_the_place_in_a_layer_tells_what_is_alike) {
  KernelSketch before;
  KernelSketch after;
  for (KernelSketch* side : {&before, &after}) {
    for (int layer = 0; layer < 3; ++layer) {
      side->launch("vectorized_layer_norm_kernel", 5).launch("a", 10 + layer).launch("a", 90);
    }
  }
  const auto pairs = pairs_of(before, after);
  ASSERT_EQ(pairs.size(), 2u);
  ASSERT_EQ(pairs[1].strata.size(), 2u);
  EXPECT_EQ(pairs[1].strata[0].before_ns, (Times{10, 11, 12}));
  EXPECT_EQ(pairs[1].strata[1].after_ns, (Times{90, 90, 90}));
}

// The classic table has cut names only, 50 characters at most.
TEST(KernelPairsTest, a_list_with_full_names_meets_one_with_cut_names) {
  KernelSketch before;
  before.launch("vectorized_elementwise_kernel", 1);
  before.launch("ampere_fp16_s16816gemm_fp16_64x128_ldg8_relu_f2...", 1);
  KernelSketch after;
  after.launch("void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor>(int)", 1);
  after.launch("void at::native::vectorized_elementwise_kernel<4, at::native::MulFunctor>(int)", 1);
  after.launch("ampere_fp16_s16816gemm_fp16_64x128_ldg8_relu_f2f_stages_32x6_tn", 1);
  const auto pairs = pairs_of(before, after, KernelSource::kWideCsv);
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_EQ(pairs[0].after.launches, 2u);
  EXPECT_EQ(pairs[1].after.launches, 1u);
}

}  // namespace
}  // namespace strobe::compare
