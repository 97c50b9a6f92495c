#include "strobe/bench/providers/cpu/blocked_expression.h"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "strobe/bench/cases/case_info.h"
#include "strobe/bench/providers/cpu/row_kernel_match.h"
#include "strobe/bench/reference/dropout.h"
#include "strobe/bench/reference/evaluate.h"
#include "strobe/bench/reference/input_values.h"

namespace strobe::bench {
namespace {

std::int64_t values_of(Extent extent, std::int64_t rows, std::int64_t columns) {
  if (extent == Extent::kElements) return rows * columns;
  return extent == Extent::kColumns ? columns : extent == Extent::kRows ? rows : 1;
}

// The interpreter and the reference on the same values.
void expect_as_the_reference(const Expression& expression, const KernelSet& set, std::int64_t rows,
                             std::int64_t columns, std::string_view what) {
  std::vector<std::vector<float>> inputs;
  std::vector<const void*> in;
  for (const Tensor& tensor : expression.inputs) {
    auto& values = inputs.emplace_back();
    for (std::int64_t i = 0; i < values_of(tensor.extent, rows, columns); ++i) {
      values.push_back(uniform_value(
          input_bits(5, static_cast<std::uint32_t>(inputs.size()), static_cast<std::uint64_t>(i)),
          1.0f / static_cast<float>(columns)));
    }
  }
  for (const auto& values : inputs) in.push_back(values.data());
  std::vector<std::vector<float>> outputs;
  for (const Output& output : expression.outputs) {
    outputs.emplace_back(static_cast<std::size_t>(values_of(output.tensor.extent, rows, columns)),
                         NAN);
  }
  std::vector<void*> out;
  for (auto& values : outputs) out.push_back(values.data());
  const BlockedExpression blocked(expression, set, DType::kF32, rows, columns);
  std::vector<float> scratch(static_cast<std::size_t>(blocked.scratch()));
  constexpr std::uint64_t kSeed = 9;
  blocked.run(in, out, scratch.data(), 0, rows, dropout_key(kSeed));

  const auto read = [&](std::size_t input, std::int64_t at) {
    return static_cast<double>(inputs[input][static_cast<std::size_t>(at)]);
  };
  RowEvaluator evaluator(expression, rows, columns, read, kSeed);
  std::vector<std::int64_t> every(static_cast<std::size_t>(columns));
  std::iota(every.begin(), every.end(), 0);
  for (std::int64_t row = 0; row < rows; ++row) {
    evaluator.evaluate(row, every);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const auto line = evaluator.output(i);
      for (std::size_t c = 0; c < line.size(); ++c) {
        const auto r = static_cast<std::size_t>(row);
        const std::size_t at = expression.outputs[i].tensor.is_transposed
                                   ? c * static_cast<std::size_t>(rows) + r
                                   : r * line.size() + c;
        ASSERT_NEAR(static_cast<double>(outputs[i][at]), line[c], 1e-6 + 1e-5 * std::abs(line[c]))
            << what;
      }
    }
  }
}

TEST(BlockedExpression, every_case_is_interpreted_as_the_reference_computes_it) {
  for (const KernelSet* set : kernel_sets()) {
    for (const CaseInfo& info : cases()) {
      if (info.kind != CaseKind::kRows) continue;
      for (const auto& [rows, columns] :
           {std::pair<std::int64_t, std::int64_t>{1, 1}, {3, 37}, {2, 2500}}) {
        expect_as_the_reference(fused(info), *set, rows, columns, info.id);
      }
    }
  }
}

TEST(BlockedExpression, an_expression_that_is_no_case_is_computed_too) {
  // relu(-(x - max x)) min (1 / y), y of the columns; and the root of a sum of a row.
  ExpressionBuilder builder;
  const Value x = builder.input({"x", Extent::kElements});
  const Value y = builder.input({"y", Extent::kColumns});
  const Value away = builder.unary(Op::kRelu, builder.unary(Op::kNeg, x - row_max(x)));
  builder.output({"out", Extent::kElements},
                 builder.binary(Op::kMin, away, builder.unary(Op::kRecip, y)));
  builder.output({"root", Extent::kRows}, rsqrt(row_sum(x) + 2.0));
  const Expression expression = std::move(builder).build();
  EXPECT_FALSE(match_row_kernel(expression));
  for (const KernelSet* set : kernel_sets())
    expect_as_the_reference(expression, *set, 5, 1500, set->name);
}

TEST(RowKernelMatch, every_operator_of_every_case_has_a_kernel_of_its_own) {
  for (const CaseInfo& info : cases()) {
    for (const Operator& op : info.operators) {
      EXPECT_TRUE(match_row_kernel(op.expression) || match_transposed_sum(op.expression))
          << info.id << " " << op.name;
    }
    if (info.kind == CaseKind::kRows) {
      EXPECT_TRUE(match_row_kernel(fused(info)) || match_transposed_sum(fused(info)) ||
                  match_transposed_dropout(fused(info)))
          << info.id;
    }
  }
}

// If one were used for the other, it would be fast and wrong.
TEST(RowKernelMatch, training_and_inference_have_different_kernels) {
  const auto whole = [](const char* id) { return fused(*find_case(id)); };
  EXPECT_EQ(match_row_kernel(whole("bias_dropout_add"))->id, RowsKernelId::kAddThree);
  EXPECT_EQ(match_row_kernel(whole("bias_dropout_add_train"))->id, RowsKernelId::kBiasDropoutAdd);
  EXPECT_FALSE(match_transposed_dropout(whole("bias_dropout_add_transposed")));
  EXPECT_FALSE(match_transposed_sum(whole("bias_dropout_add_transposed_train")));
}

TEST(RowKernelMatch, a_value_of_the_row_may_come_first) {
  ExpressionBuilder builder;
  const Value s = builder.input({"s", Extent::kRows});
  const Value x = builder.input({"x", Extent::kElements});
  builder.output({"out", Extent::kElements}, s / x);
  const auto match = match_row_kernel(std::move(builder).build());
  ASSERT_TRUE(match);
  EXPECT_EQ(match->id, RowsKernelId::kRowDiv);
  EXPECT_EQ(match->inputs, (std::vector<std::size_t>{1, 0}));
}

}  // namespace
}  // namespace strobe::bench
