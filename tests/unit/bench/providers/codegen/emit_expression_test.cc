#include "strobe/bench/providers/codegen/emit_expression.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "strobe/bench/cases/case_info.h"
#include "strobe/bench/providers/codegen/source_text.h"

namespace strobe::bench {
namespace {

int count(const Expression& expression, Op op) {
  return static_cast<int>(std::count_if(expression.nodes.begin(), expression.nodes.end(),
                                        [op](const Node& node) { return node.op == op; }));
}

TEST(Simplified, division_by_a_value_of_the_row_is_one_reciprocal_and_products) {
  const Expression softmax = simplified(fused(*find_case("softmax")), 1024);
  EXPECT_EQ(count(softmax, Op::kDiv), 0);
  EXPECT_EQ(count(softmax, Op::kRecip), 1);
}

TEST(Simplified, the_number_of_columns_becomes_a_factor) {
  const Expression layernorm = simplified(fused(*find_case("layernorm")), 1024);
  EXPECT_EQ(count(layernorm, Op::kColumnCount), 0);
  EXPECT_EQ(count(layernorm, Op::kDiv), 0);
  EXPECT_EQ(count(layernorm, Op::kRecip), 0);
  const Node factor = {.op = Op::kConst, .constant = 1.0 / 1024};
  EXPECT_NE(std::find(layernorm.nodes.begin(), layernorm.nodes.end(), factor),
            layernorm.nodes.end());
}

TEST(Simplified, what_no_output_needs_is_gone) {
  ExpressionBuilder builder;
  const Value x = builder.input({.name = "x"});
  cos(x);
  builder.output({.name = "out"}, x + 1.0);
  const Expression simple = simplified(std::move(builder).build(), 8);
  EXPECT_EQ(count(simple, Op::kCos), 0);
  EXPECT_EQ(simple.nodes.size(), 3u);
  EXPECT_EQ(simple.outputs.front().node, 2);
}

TEST(NodeText, operands_are_called_as_the_schedule_says) {
  const OperandName name = [](NodeIndex index) { return "v" + std::to_string(index); };
  EXPECT_EQ(node_text({.op = Op::kSub, .a = 3, .b = 1}, name), "v3 - v1");
  EXPECT_EQ(node_text({.op = Op::kExp, .a = 2}, name), "strobe_exp(v2)");
  EXPECT_EQ(node_text({.op = Op::kMin, .a = 2, .b = 0}, name), "fminf(v2, v0)");
  EXPECT_EQ(node_text({.op = Op::kRelu, .a = 2}, name), "fmaxf(v2, 0.0f)");
}

TEST(DropoutText, the_schedule_says_which_element_it_is) {
  const OperandName name = [](NodeIndex index) { return "v" + std::to_string(index); };
  EXPECT_EQ(dropout_text({.op = Op::kDropout, .a = 3, .constant = 0.5}, name, "place"),
            "strobe_dropout(v3, dropout_key + place, 2147483648u, 2.0f)");
}

TEST(FloatText, a_literal_reads_back_as_the_same_float) {
  EXPECT_EQ(float_text(1), "1.0f");
  EXPECT_EQ(float_text(0.5), "0.5f");
  EXPECT_EQ(float_text(1e-5), "9.99999975e-06f");
  EXPECT_EQ(std::stof(float_text(0.79788456)), 0.79788456f);
}

}  // namespace
}  // namespace strobe::bench
