#include "strobe/bench/providers/codegen/row_plan.h"

#include <gtest/gtest.h>

#include "strobe/bench/cases/case_info.h"
#include "strobe/bench/providers/codegen/emit_expression.h"

namespace strobe::bench {
namespace {

Expression expression_of(const char* id) { return simplified(fused(*find_case(id)), 4096); }

TEST(RowPlan, a_softmax_in_registers_needs_the_place_of_its_input_only) {
  const RowPlan plan = plan_rows(expression_of("softmax"), KeepPolicy::kAll);
  ASSERT_EQ(plan.walks.size(), 3u);
  EXPECT_EQ(plan.slots, 1);
  EXPECT_TRUE(plan.keeps_over_input());
  EXPECT_EQ(plan.walks[1].keeps.size(), 1u);  // the exponential, where x was
  EXPECT_EQ(plan.walks[2].outputs.size(), 1u);
}

TEST(RowPlan, two_softmaxes_still_need_one_place) {
  const RowPlan plan = plan_rows(expression_of("double_softmax"), KeepPolicy::kAll);
  EXPECT_EQ(plan.walks.size(), 5u);
  EXPECT_EQ(plan.slots, 1);
  EXPECT_EQ(plan.reductions(), 4);
}

TEST(RowPlan, cheap_values_are_computed_again_rather_than_kept_in_shared_memory) {
  const RowPlan plan = plan_rows(expression_of("norm_chain"), KeepPolicy::kCostly);
  for (const RowWalk& walk : plan.walks) EXPECT_TRUE(walk.keeps.empty());
  EXPECT_FALSE(plan.keeps_over_input());
  const RowPlan softmax = plan_rows(expression_of("softmax"), KeepPolicy::kCostly);
  EXPECT_EQ(softmax.walks[1].keeps.size(), 1u);  // an exponential is not cheap
}

TEST(RowPlan, a_walk_that_keeps_nothing_reads_its_inputs_each_time) {
  const RowPlan plan = plan_rows(expression_of("softmax"), KeepPolicy::kNone);
  EXPECT_EQ(plan.slots, 0);
  for (const RowWalk& walk : plan.walks) {
    ASSERT_EQ(walk.reads.size(), 1u);
    EXPECT_EQ(walk.reads.front().slot, -1);
  }
}

TEST(RowPlan, an_output_leaves_with_the_first_walk_that_can_make_it) {
  const RowPlan plan = plan_rows(expression_of("horizontal_reduction_pointwise"), KeepPolicy::kAll);
  EXPECT_EQ(plan.walks[0].outputs.size(), 1u);      // cos
  EXPECT_EQ(plan.walks[1].row_outputs.size(), 1u);  // the sum
  EXPECT_TRUE(plan.walks[1].reads.empty());
}

}  // namespace
}  // namespace strobe::bench
