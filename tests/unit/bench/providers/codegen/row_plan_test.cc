#include "strobe/bench/providers/codegen/row_plan.h"

#include <utility>

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

TEST(SoftmaxJoin, maximum_and_sum_go_together_where_the_maximum_serves_nothing_else) {
  const Expression softmax = expression_of("softmax");
  RowPlan plan = plan_rows(softmax, KeepPolicy::kAll);
  EXPECT_TRUE(join_softmaxes(plan, softmax));
  EXPECT_TRUE(plan.walks[0].is_joined_later);
  EXPECT_TRUE(plan.walks[1].joins_softmax);

  const Expression twice = expression_of("double_softmax");
  RowPlan double_plan = plan_rows(twice, KeepPolicy::kAll);
  EXPECT_TRUE(join_softmaxes(double_plan, twice));
  EXPECT_TRUE(double_plan.walks[3].joins_softmax);
}

TEST(SoftmaxJoin, other_reductions_are_left_alone) {
  for (const char* id :
       {"layernorm", "norm_chain", "softmax_backward", "horizontal_reduction_reduction"}) {
    const Expression expression = expression_of(id);
    RowPlan plan = plan_rows(expression, KeepPolicy::kAll);
    EXPECT_FALSE(join_softmaxes(plan, expression)) << id;
  }
}

TEST(SoftmaxJoin, a_maximum_that_is_an_output_too_is_not_joined) {
  ExpressionBuilder builder;
  const Value x = builder.input({.name = "x"});
  const Value m = row_max(x);
  const Value e = exp(x - m);
  builder.output({.name = "out"}, e / row_sum(e));
  builder.output({.name = "m", .extent = Extent::kRows}, m);
  const Expression expression = simplified(std::move(builder).build(), 64);
  RowPlan plan = plan_rows(expression, KeepPolicy::kAll);
  EXPECT_FALSE(join_softmaxes(plan, expression));
}

TEST(MomentsJoin, one_walk_sums_values_and_squares_and_what_it_did_not_keep_is_made_again) {
  const Expression layernorm = expression_of("layernorm");
  for (const KeepPolicy policy : {KeepPolicy::kAll, KeepPolicy::kCostly, KeepPolicy::kNone}) {
    RowPlan plan = plan_rows(layernorm, policy);
    EXPECT_TRUE(join_moments(plan, layernorm));
    ASSERT_EQ(plan.walks.size(), 3u);
    ASSERT_TRUE(plan.walks[0].moments.has_value());
    EXPECT_EQ(plan.walks[0].reduce.size(), 2u);
    EXPECT_TRUE(plan.walks[1].reads.empty() && plan.walks[1].reduce.empty());
    EXPECT_EQ(plan.walks[1].row_values.size(), 1u);  // the mean
    ASSERT_EQ(plan.walks[2].reads.size(), 1u);
    EXPECT_EQ(plan.walks[2].reads.front().node, plan.inputs.front());
    EXPECT_EQ(plan.reductions(), 2);
  }
}

TEST(MomentsJoin, a_chain_of_sums_and_a_softmax_have_none) {
  for (const char* id : {"norm_chain", "softmax", "horizontal_reduction_reduction"}) {
    const Expression expression = expression_of(id);
    RowPlan plan = plan_rows(expression, KeepPolicy::kAll);
    EXPECT_FALSE(join_moments(plan, expression)) << id;
  }
}

}  // namespace
}  // namespace strobe::bench
