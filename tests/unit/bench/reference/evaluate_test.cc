#include "strobe/bench/reference/evaluate.h"

#include <cmath>
#include <map>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/bench/cases/case_info.h"
#include "strobe/bench/reference/input_values.h"

namespace strobe::bench {
namespace {

using Values = std::vector<double>;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Pointwise;

std::vector<std::int64_t> first(std::int64_t count) {
  std::vector<std::int64_t> columns(static_cast<std::size_t>(count));
  std::iota(columns.begin(), columns.end(), 0);
  return columns;
}

// One row of a case on given values, one list for each input.
std::vector<Values> row_of(const char* id, const std::vector<Values>& inputs) {
  const Expression expression = fused(*find_case(id));
  const auto columns = static_cast<std::int64_t>(inputs[0].size());
  RowEvaluator evaluator(expression, 1, columns, [&](std::size_t input, std::int64_t index) {
    return inputs[input][static_cast<std::size_t>(index)];
  });
  evaluator.evaluate(0, first(columns));
  std::vector<Values> outputs;
  for (std::size_t i = 0; i < expression.outputs.size(); ++i)
    outputs.push_back(evaluator.output(i));
  return outputs;
}

MATCHER_P(IsNear, expected, "") {
  return ::testing::ExplainMatchResult(Pointwise(DoubleNear(1e-12), expected), arg,
                                       result_listener);
}

const double kHalfPi = std::acos(0.0);

TEST(Evaluate, pointwise_chain_by_hand) {
  // x = 0: y = 1, x1 = 0, y1 = 1, out = 1. x = pi: y = -1, x1 = -pi, y1 = -1, out = -pi - 1.
  // x = 2 pi: y = 1, x1 = 2 pi, y1 = 2 pi, out = 4 pi.
  EXPECT_THAT(row_of("pointwise_chain", {{0, 2 * kHalfPi, 4 * kHalfPi}})[0],
              IsNear(Values{1, -2 * kHalfPi - 1, 8 * kHalfPi}));
}

TEST(Evaluate, softmax_by_hand) {
  // exp of 0, ln 2, ln 5 is 1, 2, 5: eighths.
  const Values eighths = {0.125, 0.25, 0.625};
  EXPECT_THAT(row_of("softmax", {{0, std::log(2), std::log(5)}})[0], IsNear(eighths));
  EXPECT_THAT(row_of("naive_softmax", {{0, std::log(2), std::log(5)}})[0], IsNear(eighths));
  EXPECT_THAT(
      row_of("softmax", {{1e4, 1e4 + std::log(3)}})[0],
      Pointwise(DoubleNear(1e-11), Values{0.25, 0.75}));  // a common offset of a row cancels
}

TEST(Evaluate, double_softmax_by_hand) {
  // The first gives 1/4 and 3/4; the second their exponentials, e^(1/2) apart.
  const double ratio = std::exp(0.5);
  EXPECT_THAT(row_of("double_softmax", {{0, std::log(3)}})[0],
              IsNear(Values{1 / (1 + ratio), ratio / (1 + ratio)}));
}

TEST(Evaluate, softmax_backward_by_hand) {
  // dy = 1, 2, 3 and y = 1/2, 1/4, 1/4: sum 7/4; y (dy - 7/4). The product comes first, so dy is
  // read first.
  EXPECT_THAT(row_of("softmax_backward", {{1, 2, 3}, {0.5, 0.25, 0.25}})[0],
              IsNear(Values{-0.375, 0.0625, 0.3125}));
}

TEST(Evaluate, layernorm_by_hand) {
  // Mean 2, variance 1: -1 and 1 over the root of 1.00001, times gamma, plus beta.
  const double scale = 1 / std::sqrt(1.00001);
  EXPECT_THAT(row_of("layernorm", {{1, 3}, {10, 100}, {5, 7}})[0],
              IsNear(Values{5 - 10 * scale, 7 + 100 * scale}));
}

TEST(Evaluate, norm_chain_by_hand) {
  // The row sum is 2: x 2^7.
  EXPECT_THAT(row_of("norm_chain", {{0.5, 1.5}})[0], IsNear(Values{64, 192}));
}

TEST(Evaluate, horizontal_fusions_by_hand) {
  const auto pointwise = row_of("horizontal_reduction_pointwise", {{0, kHalfPi, 2 * kHalfPi}});
  EXPECT_THAT(pointwise[0], IsNear(Values{3 * kHalfPi}));
  EXPECT_THAT(pointwise[1], IsNear(Values{1, 0, -1}));
  const auto reductions = row_of("horizontal_reduction_reduction", {{-3, -1, -2}});
  EXPECT_THAT(reductions[0], ElementsAre(-6));
  EXPECT_THAT(reductions[1], ElementsAre(-1));
}

TEST(Evaluate, bias_cases_by_hand) {
  EXPECT_THAT(row_of("bias_dropout_add", {{1, 2}, {10, 20}, {100, 200}})[0], ElementsAre(111, 222));
  EXPECT_THAT(row_of("bias_dropout_add_transposed", {{1, 2}, {10, 20}, {100, 200}})[0],
              ElementsAre(111, 222));
  // x = 0 gives 0; x = 1: 0.5 (1 + tanh(0.79788456 1.044715)) = 0.841192 by a table of the
  // function.
  const Values gelu = row_of("bias_gelu", {{-1, 0.5}, {1, 0.5}})[0];
  EXPECT_EQ(gelu[0], 0);
  EXPECT_NEAR(gelu[1], 0.841192, 1e-6);
}

TEST(Evaluate, transposed_inputs_are_read_down_their_columns) {
  // Two rows, three columns: value (r, c) of a tensor stored [3, 2] is number c 2 + r.
  const Expression expression = fused(*find_case("bias_dropout_add_transposed"));
  RowEvaluator evaluator(expression, 2, 3, [](std::size_t input, std::int64_t index) {
    return input == 0   ? 0.0
           : input == 1 ? static_cast<double>(index)
                        : 100.0 * static_cast<double>(index);
  });
  evaluator.evaluate(1, std::vector<std::int64_t>{0, 2});
  EXPECT_THAT(evaluator.output(0), ElementsAre(101, 505));
}

TEST(Evaluate, a_part_of_a_row_is_normalised_over_all_of_it) {
  const Expression expression = fused(*find_case("softmax"));
  RowEvaluator evaluator(expression, 1, 4, [](std::size_t, std::int64_t) { return 3.0; });
  evaluator.evaluate(0, std::vector<std::int64_t>{1, 3});
  EXPECT_THAT(evaluator.output(0), ElementsAre(0.25, 0.25));
}

TEST(Evaluate, a_nan_in_a_row_reaches_its_maximum_and_its_sum) {
  const auto outputs = row_of("horizontal_reduction_reduction", {{1, NAN, 2}});
  EXPECT_TRUE(std::isnan(outputs[0][0]));
  EXPECT_TRUE(std::isnan(outputs[1][0]));
}

// The operators one by one, with every tensor stored, as in an eager framework.
std::map<std::string, Values> run_eagerly(const CaseInfo& info, std::int64_t rows,
                                          std::int64_t columns) {
  const std::vector<Tensor> inputs = fused(info).inputs;
  std::map<std::string, Values> tensors;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::int64_t count = inputs[i].extent == Extent::kColumns ? columns : rows * columns;
    for (std::int64_t at = 0; at < count; ++at) {
      tensors[inputs[i].name].push_back(static_cast<double>(normal_value(
          input_bits(3, static_cast<std::uint32_t>(i), static_cast<std::uint64_t>(at)))));
    }
  }
  for (const Operator& op : info.operators) {
    RowEvaluator evaluator(op.expression, rows, columns, [&](std::size_t input, std::int64_t at) {
      return tensors[op.expression.inputs[input].name][static_cast<std::size_t>(at)];
    });
    const Tensor& out = op.expression.outputs[0].tensor;
    Values values(static_cast<std::size_t>(out.extent == Extent::kRows ? rows : rows * columns));
    for (std::int64_t row = 0; row < rows; ++row) {
      evaluator.evaluate(row, first(columns));
      const Values line = evaluator.output(0);
      for (std::size_t c = 0; c < line.size(); ++c) {
        const std::size_t r = static_cast<std::size_t>(row);
        const std::size_t at =
            out.is_transposed ? c * static_cast<std::size_t>(rows) + r : r * line.size() + c;
        values[at] = line[c];
      }
    }
    tensors[out.name] = values;
  }
  return tensors;
}

TEST(Evaluate, a_fused_case_equals_its_operators_one_by_one) {
  for (const CaseInfo& info : cases()) {
    if (info.kind != CaseKind::kRows) continue;
    for (const auto& [rows, columns] :
         {std::pair<std::int64_t, std::int64_t>{1, 1}, {3, 5}, {7, 33}}) {
      const auto tensors = run_eagerly(info, rows, columns);
      const Expression expression = fused(info);
      RowEvaluator evaluator(expression, rows, columns, [&](std::size_t input, std::int64_t at) {
        return tensors.at(expression.inputs[input].name)[static_cast<std::size_t>(at)];
      });
      for (std::int64_t row = 0; row < rows; ++row) {
        evaluator.evaluate(row, first(columns));
        for (std::size_t i = 0; i < expression.outputs.size(); ++i) {
          const Tensor& out = expression.outputs[i].tensor;
          const Values line = evaluator.output(i);
          for (std::size_t c = 0; c < line.size(); ++c) {
            const auto r = static_cast<std::size_t>(row);
            const std::size_t at =
                out.is_transposed ? c * static_cast<std::size_t>(rows) + r : r * line.size() + c;
            const double eager = tensors.at(out.name)[at];
            EXPECT_NEAR(line[c], eager, 1e-12 * (1 + std::abs(eager)))
                << info.id << " " << out.name;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace strobe::bench
