#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "strobe/bench/reference/reference.h"

namespace strobe::bench {
namespace {

const float kInf = std::numeric_limits<float>::infinity();
const float kNan = std::numeric_limits<float>::quiet_NaN();

Accuracy compared(std::vector<float> actual, std::vector<double> expected,
                  Tolerance tolerance = {0.1, 0.01}) {
  return compare_values(actual, expected, tolerance);
}

TEST(Accuracy, an_element_passes_up_to_both_tolerances) {
  // Allowed at 100: 0.1 + 0.01 100 = 1.1.
  EXPECT_EQ(compared({101.0f}, {100}).mismatches, 0u);
  EXPECT_EQ(compared({101.125f}, {100}).mismatches, 1u);
  EXPECT_EQ(compared({98.875f}, {100}).mismatches, 1u);
}

TEST(Accuracy, a_nan_never_passes) {
  EXPECT_EQ(compared({kNan}, {1}).mismatches, 1u);
  EXPECT_EQ(compared({1.0f}, {NAN}).mismatches, 1u);
  EXPECT_EQ(compared({kNan}, {NAN}).mismatches, 1u);
}

TEST(Accuracy, infinities_must_match_in_sign) {
  EXPECT_EQ(compared({kInf}, {INFINITY}).mismatches, 0u);
  EXPECT_EQ(compared({kInf}, {-INFINITY}).mismatches, 1u);
  EXPECT_EQ(compared({kInf}, {1e300}).mismatches, 1u);
  EXPECT_EQ(compared({1.0f}, {INFINITY}).mismatches, 1u);
  EXPECT_EQ(compared({kInf}, {INFINITY}).norm_rel, 0);
}

TEST(Accuracy, what_did_not_come_back_does_not_pass) {
  EXPECT_EQ(compared({1.0f}, {1, 1, 1}).mismatches, 2u);
}

TEST(Accuracy, the_worst_element_is_found) {
  const Accuracy accuracy = compared({1, 2.5f, 1000.5f, 4}, {1, 2, 1000, 4});
  EXPECT_EQ(accuracy.worst_index, 1);  // 0.5 of 0.12 allowed; 0.5 of 10.1 is nothing
  EXPECT_DOUBLE_EQ(accuracy.max_abs, 0.5);
  EXPECT_DOUBLE_EQ(accuracy.max_rel, 0.25);
  // Errors 0.5 and 0.5 over the norm of 1, 2, 1000, 4.
  EXPECT_DOUBLE_EQ(accuracy.norm_rel, std::sqrt(0.5) / std::sqrt(1 + 4 + 1e6 + 16));
  EXPECT_EQ(compared({1, kNan, 900}, {1, 2, 1000}).worst_index, 1);
}

TEST(Accuracy, parts_together_are_the_whole) {
  const std::vector<float> actual = {1, 2, 3.5f, 4, 5, 7};
  const std::vector<double> expected = {1, 2, 3, 4, 5, 6};
  const Accuracy whole = compare_values(actual, expected, {0.1, 0});
  Accuracy parts;
  merge(parts, compare_values(std::span(actual).first(4), std::span(expected).first(4), {0.1, 0}),
        0);
  merge(parts,
        compare_values(std::span(actual).subspan(4), std::span(expected).subspan(4), {0.1, 0}), 4);
  EXPECT_EQ(parts.checked, 6u);
  EXPECT_EQ(parts.mismatches, 2u);
  EXPECT_EQ(parts.worst_index, whole.worst_index);
  EXPECT_DOUBLE_EQ(parts.max_abs, whole.max_abs);
  EXPECT_DOUBLE_EQ(parts.max_rel, whole.max_rel);
  EXPECT_DOUBLE_EQ(parts.norm_rel, whole.norm_rel);
}

TEST(Accuracy, the_equality_line_is_the_users_own) {
  EXPECT_EQ(equality_line(compared({1, 2}, {1, 2})), "Equality ratio: 100.00%");
  EXPECT_EQ(equality_line(compared({1, 9}, {1, 2})), "Equality ratio: 50.00%");
  EXPECT_EQ(equality_line({}), "Equality ratio: 0.00%");
}

TEST(Accuracy, one_mismatch_in_a_million_is_not_hidden_by_rounding) {
  Accuracy accuracy;
  accuracy.checked = 1'000'000;
  accuracy.mismatches = 1;
  EXPECT_EQ(equality_line(accuracy), "Equality ratio: 99.99%");
}

TEST(Accuracy, tolerances_are_those_of_the_table) {
  const auto of = [](const char* id, Shape shape, DType dtype) {
    return tolerance_of(*find_case(id), shape, dtype);
  };
  EXPECT_DOUBLE_EQ(of("pointwise_chain", {{8, 100}}, DType::kF32).atol, 1e-6);
  EXPECT_DOUBLE_EQ(of("pointwise_chain", {{8, 100}}, DType::kF32).rtol, 1e-5);
  EXPECT_DOUBLE_EQ(of("layernorm", {{8, 100}}, DType::kF32).atol, 1e-5);  // 1e-6 sqrt(100)
  EXPECT_DOUBLE_EQ(of("layernorm", {{8, 100}}, DType::kF32).rtol, 1e-5);
  EXPECT_DOUBLE_EQ(of("pointwise_chain", {{8, 100}}, DType::kF16).rtol, 1e-3);
  EXPECT_DOUBLE_EQ(of("pointwise_chain", {{8, 100}}, DType::kBf16).rtol, 8e-3);
  EXPECT_DOUBLE_EQ(of("matmul_add", {{8, 100, 4096}}, DType::kF32).atol, 2e-3);
  EXPECT_DOUBLE_EQ(of("matmul_add", {{8, 100, 4096}}, DType::kF32).rtol, 1e-3);
  EXPECT_DOUBLE_EQ(of("matmul_add", {{8, 100, 4096}}, DType::kBf16).rtol, 2e-2);
  EXPECT_DOUBLE_EQ(of("conv_relu", {{1, 8, 8, 1024, 8, 1, 1}}, DType::kF32).atol, 1e-3);
  EXPECT_DOUBLE_EQ(of("attention", {{1, 128, 4, 64}}, DType::kF16).atol, 2e-3);
  EXPECT_DOUBLE_EQ(of("attention", {{1, 128, 4, 64}}, DType::kF16).rtol, 1e-2);
  EXPECT_DOUBLE_EQ(of("bias_dropout_add_transposed", {{8, 100}}, DType::kF32).atol, 1e-3);
  EXPECT_DOUBLE_EQ(of("bias_dropout_add_transposed", {{8, 100}}, DType::kF32).rtol, 1e-2);
}

TEST(Accuracy, the_seventh_power_of_a_rounded_sum_is_off_by_seven_roundings) {
  const CaseInfo& chain = *find_case("norm_chain");
  EXPECT_DOUBLE_EQ(tolerance_of(chain, {{8, 100}}, DType::kF32).rtol, 1e-5);
  EXPECT_DOUBLE_EQ(tolerance_of(chain, {{8, 100}}, DType::kF16).rtol, 7e-3);
  EXPECT_DOUBLE_EQ(tolerance_of(chain, {{8, 100}}, DType::kBf16).rtol, 5.6e-2);
}

// 1e-6 sqrt(65536) is 17 times 1 / 65536.
TEST(Accuracy, zeros_are_no_softmax) {
  for (const char* id :
       {"softmax", "naive_softmax", "double_softmax", "softmax_backward", "norm_chain"}) {
    const Tolerance tolerance = tolerance_of(*find_case(id), {{8, 65536}}, DType::kF32);
    EXPECT_LT(tolerance.atol, 0.01 / 65536) << id;
    EXPECT_EQ(tolerance.rtol, 1e-5) << id;
    EXPECT_EQ(
        compare_values(std::vector<float>(1, 0.0f), std::vector<double>(1, 1.0 / 65536), tolerance)
            .mismatches,
        1u);
  }
}

}  // namespace
}  // namespace strobe::bench
