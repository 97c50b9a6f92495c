#include <gtest/gtest.h>

#include "strobe/bench/cases/case_info.h"

namespace strobe::bench {
namespace {

double count_of(Extent extent, const Shape& shape) {
  const auto rows = static_cast<double>(shape[0]);
  const auto columns = static_cast<double>(shape[1]);
  switch (extent) {
    case Extent::kScalar:
      return 1;
    case Extent::kColumns:
      return columns;
    case Extent::kRows:
      return rows;
    case Extent::kElements:
      return rows * columns;
  }
  return 0;
}

double moved(const Expression& expression, const Shape& shape) {
  double values = 0;
  for (const Tensor& tensor : expression.inputs) values += count_of(tensor.extent, shape);
  for (const Output& output : expression.outputs) values += count_of(output.tensor.extent, shape);
  return values;
}

const Shape kShape = {{100, 1000}};

TEST(CaseList, a_fused_expression_moves_the_least_bytes) {
  for (const CaseInfo& info : cases()) {
    if (info.kind != CaseKind::kRows) continue;
    EXPECT_EQ(moved(fused(info), kShape) * 4, costs_of(info, kShape, DType::kF32).min_bytes)
        << info.id;
  }
}

// Three are counted differently: softmax_backward re-reads its row, layernorm saves two values per
// row, and only the writes of naive_softmax's row values are counted.
TEST(CaseList, the_operators_one_by_one_move_the_unfused_bytes) {
  for (const CaseInfo& info : cases()) {
    if (info.kind != CaseKind::kRows) continue;
    double values = 0;
    for (const Operator& op : info.operators) values += moved(op.expression, kShape);
    if (info.id == "softmax_backward") values += 100 * 1000;
    if (info.id == "layernorm") values += 2 * 100;
    if (info.id == "naive_softmax") values -= 2 * 100;
    EXPECT_EQ(values * 4, costs_of(info, kShape, DType::kF32).unfused_bytes) << info.id;
    EXPECT_EQ(info.eager_kernels, static_cast<int>(info.operators.size())) << info.id;
  }
}

TEST(CaseList, ceilings_are_those_that_fusion_can_reach) {
  const auto ceiling = [](const char* id) {
    return costs_of(*find_case(id), {{16384, 16384}}, DType::kF32).ceiling();
  };
  EXPECT_DOUBLE_EQ(ceiling("pointwise_chain"), 5.5);
  EXPECT_NEAR(ceiling("bias_gelu"), 11.5, 0.01);
  EXPECT_NEAR(ceiling("norm_chain"), 4.5, 0.01);
  EXPECT_NEAR(ceiling("horizontal_reduction_reduction"), 2, 0.01);
}

TEST(CaseList, training_variants_are_cases_of_their_own) {
  EXPECT_EQ(training_variant("bias_dropout_add"), find_case("bias_dropout_add_train"));
  EXPECT_EQ(training_variant("bias_dropout_add_transposed"),
            find_case("bias_dropout_add_transposed_train"));
  EXPECT_EQ(training_variant("softmax"), nullptr);
  EXPECT_EQ(training_variant(""), nullptr);
  for (const CaseInfo& info : cases()) {
    EXPECT_EQ(info.id.ends_with("_train"), !info.training_of.empty()) << info.id;
    if (info.training_of.empty()) continue;
    const CaseInfo& inference = *find_case(info.training_of);
    EXPECT_NE(fused(info).dropout(), nullptr);
    EXPECT_EQ(fused(inference).dropout(), nullptr);
    EXPECT_EQ(fused(info).inputs, fused(inference).inputs);
    // One more operator over all elements: read, written, and multiplied by 2.
    const CaseCosts train = costs_of(info, kShape, DType::kF16);
    const CaseCosts plain = costs_of(inference, kShape, DType::kF16);
    EXPECT_EQ(train.min_bytes, plain.min_bytes);
    EXPECT_EQ(train.unfused_bytes, plain.unfused_bytes + 2 * 100000 * 2);
    EXPECT_EQ(train.flops, plain.flops + 100000);
  }
}

TEST(CaseList, reductions_in_a_row_are_counted) {
  EXPECT_EQ(fused(*find_case("pointwise_chain")).dependent_reductions(), 0);
  EXPECT_EQ(fused(*find_case("softmax")).dependent_reductions(), 2);
  EXPECT_EQ(fused(*find_case("double_softmax")).dependent_reductions(), 4);
  EXPECT_EQ(fused(*find_case("norm_chain")).dependent_reductions(), 3);
  EXPECT_EQ(fused(*find_case("horizontal_reduction_reduction")).dependent_reductions(), 1);
}

TEST(CaseList, streaming_costs_a_chain_of_reductions_and_no_single_operator) {
  const auto loses = [](std::string_view id) {
    const CaseInfo& info = *find_case(id);
    return loses_by_streaming(info, costs_of(info, Shape{{65536, 65536}}, DType::kF32));
  };
  EXPECT_TRUE(loses("norm_chain"));
  EXPECT_FALSE(loses("pointwise_chain"));  // no reduction
  EXPECT_FALSE(loses("softmax"));          // one operator that reads its row again by itself
}

TEST(CaseList, a_fused_chain_shares_what_it_computes_twice) {
  const Expression chain = fused(*find_case("pointwise_chain"));
  EXPECT_EQ(chain.inputs.size(), 1u);
  EXPECT_EQ(chain.nodes.size(), 5u);  // x, cos, mul, max, add
  EXPECT_EQ(chain.outputs.size(), 1u);
}

}  // namespace
}  // namespace strobe::bench
