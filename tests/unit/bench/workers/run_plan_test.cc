#include "strobe/bench/workers/run_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strobe::bench {
namespace {

using ::testing::HasSubstr;

CellChoice of(std::vector<std::string> cases) {
  CellChoice choice;
  choice.cases = std::move(cases);
  return choice;
}

TEST(RunPlan, the_usual_grid_of_each_case_in_order) {
  const auto groups = expand(of({"softmax", "attention"}));
  ASSERT_TRUE(groups);
  ASSERT_EQ(groups->size(), 184u);
  EXPECT_EQ((*groups)[0].shape, (Shape{{128, 128}}));
  EXPECT_EQ((*groups)[100].info->id, "attention");
}

TEST(RunPlan, the_attention_is_of_half_precision_unless_told_otherwise) {
  CellChoice choice = of({"softmax", "attention"});
  choice.grid = "quick";
  const auto groups = expand(choice);
  ASSERT_TRUE(groups);
  EXPECT_EQ(groups->front().dtype, DType::kF32);
  EXPECT_EQ(groups->back().dtype, DType::kF16);
  choice.dtypes = {DType::kF32};
  EXPECT_EQ(expand(choice)->back().dtype, DType::kF32);
}

TEST(RunPlan, types_come_one_after_the_other) {
  CellChoice choice = of({"softmax"});
  choice.grid = "quick";
  choice.dtypes = {DType::kF32, DType::kBf16};
  const auto groups = expand(choice);
  ASSERT_TRUE(groups);
  ASSERT_EQ(groups->size(), 38u);
  EXPECT_EQ((*groups)[18].dtype, DType::kF32);
  EXPECT_EQ((*groups)[19].dtype, DType::kBf16);
}

TEST(RunPlan, shapes_by_hand_go_to_the_cases_they_fit) {
  CellChoice choice = of({"softmax", "matmul_add"});
  choice.shapes = {Shape{{64, 32}}, Shape{{8, 16, 24}}};
  const auto groups = expand(choice);
  ASSERT_TRUE(groups);
  ASSERT_EQ(groups->size(), 3u);
  EXPECT_EQ((*groups)[1].shape, (Shape{{64, 32, 1024}}));  // the inner size is the usual one
  EXPECT_EQ((*groups)[2].shape, (Shape{{8, 16, 24}}));
}

TEST(RunPlan, a_shape_that_fits_no_axes_is_refused_with_the_right_form) {
  CellChoice choice = of({"attention"});
  choice.shapes = {Shape{{64, 32}}};
  const auto groups = expand(choice);
  ASSERT_FALSE(groups);
  EXPECT_EQ(groups.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(groups.error().what, "attention takes a shape of 4 sizes, not 2");
}

TEST(RunPlan, an_unknown_case_is_answered_with_the_known_ones) {
  const auto groups = expand(of({"softmaxx"}));
  ASSERT_FALSE(groups);
  EXPECT_THAT(groups.error().hint, HasSubstr("pointwise_chain, softmax"));
}

TEST(RunPlan, large_shapes_can_be_left_out) {
  CellChoice choice = of({"softmax"});
  choice.most_elements = 1 << 15;
  EXPECT_EQ(expand(choice)->size(), 3u);  // 128x128, 128x256, 256x128
  choice.most_elements = 1;
  EXPECT_FALSE(expand(choice));
}

TEST(RunPlan, buckets_follow_the_elements) {
  const CaseInfo* const softmax = find_case("softmax");
  EXPECT_EQ(size_bucket({softmax, Shape{{128, 128}}}), 0);
  EXPECT_EQ(size_bucket({softmax, Shape{{2048, 2048}}}), 1);
  EXPECT_EQ(size_bucket({softmax, Shape{{16384, 16384}}}), 2);
  EXPECT_EQ(size_bucket({softmax, Shape{{65536, 65536}}}), 3);
  EXPECT_EQ(worker_key({softmax, Shape{{2048, 2048}}}), "softmax 1");
}

TEST(RunPlan, memory_is_predicted_with_a_little_to_spare) {
  EXPECT_FALSE(predicted_oom(1e9, {}));
  EXPECT_FALSE(predicted_oom(0.96e9, 1e9));
  EXPECT_EQ(predicted_oom(0.98e9, 1e9), "needs 980.0 MB and 1.0 GB are free; not run");
  EXPECT_TRUE(fit_together({5e8, 4e8}, 1e9));
  EXPECT_FALSE(fit_together({5e8, 5e8}, 1e9));
  EXPECT_TRUE(fit_together({5e8, 5e8}, {}));
}

}  // namespace
}  // namespace strobe::bench
