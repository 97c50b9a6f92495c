#include <algorithm>
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/bench/reference/input_tensors.h"
#include "strobe/bench/reference/reference.h"

namespace strobe::bench {
namespace {

using ::testing::ElementsAre;

TEST(Reference, outputs_are_stored_as_their_case_says) {
  const auto layout = [](const char* id, Shape shape, std::size_t index = 0) {
    const OutputLayout found = output_layouts(*find_case(id), shape)[index];
    return std::vector<std::int64_t>{found.rows, found.columns};
  };
  EXPECT_THAT(layout("softmax", {{5, 7}}), ElementsAre(5, 7));
  EXPECT_THAT(layout("bias_dropout_add_transposed", {{5, 7}}), ElementsAre(7, 5));
  EXPECT_THAT(layout("horizontal_reduction_pointwise", {{5, 7}}), ElementsAre(5, 1));
  EXPECT_THAT(layout("horizontal_reduction_pointwise", {{5, 7}}, 1), ElementsAre(5, 7));
  EXPECT_THAT(layout("matmul_add", {{2, 3, 4}}), ElementsAre(2, 3));
  EXPECT_THAT(layout("matmul_matmul", {{2, 3, 4}}), ElementsAre(2, 4));
  EXPECT_THAT(layout("conv_bn", {{2, 9, 7, 3, 4, 3, 2}}), ElementsAre(2 * 5 * 4, 4));
  EXPECT_THAT(layout("attention", {{2, 3, 5, 7}}), ElementsAre(30, 7));
}

TEST(Reference, a_small_output_is_checked_whole) {
  const auto rows = rows_to_check({100, 10, 10}, 1);
  ASSERT_EQ(rows.size(), 100u);
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(rows[i], static_cast<std::int64_t>(i));
  EXPECT_EQ(rows_to_check({1 << 12, 1 << 12, 1 << 12}, 1).size(), 4096u);  // 2^24 elements
}

TEST(Reference, of_a_large_output_512_rows_and_both_ends_are_checked) {
  const auto rows = rows_to_check({65536, 65536, 65536}, 1);
  EXPECT_GE(rows.size(), 512u);
  EXPECT_LE(rows.size(), 514u);
  EXPECT_EQ(rows.front(), 0);
  EXPECT_EQ(rows.back(), 65535);
  EXPECT_TRUE(std::ranges::is_sorted(rows));
  EXPECT_EQ(std::ranges::adjacent_find(rows), rows.end());
  EXPECT_EQ(rows, rows_to_check({65536, 65536, 65536}, 1));
  EXPECT_NE(rows, rows_to_check({65536, 65536, 65536}, 2));
}

TEST(Reference, dear_rows_are_fewer) {
  // 4096 by 4096 by 1024: 2^22 multiplications a row, 2^30 affordable.
  const auto rows =
      rows_to_check(output_layouts(*find_case("matmul_relu"), {{4096, 4096, 1024}})[0], 1);
  EXPECT_GE(rows.size(), 256u);
  EXPECT_LE(rows.size(), 258u);
  EXPECT_EQ(rows_to_check({3, 4, std::int64_t{1} << 40}, 1).size(), 3u);
}

TEST(Reference, transposed_rows_are_columns_of_the_case) {
  PrepareRequest request;
  request.cell = {"bias_dropout_add_transposed", {{3, 5}}, DType::kF32, "cpu"};
  const CaseInfo& info = *find_case(request.cell.case_id);
  const auto inputs = input_sources(info, request);
  const auto out = reference_rows(info, request, 0, std::vector<std::int64_t>{1, 4});
  ASSERT_EQ(out.size(), 6u);
  for (std::int64_t i = 0; i < 2; ++i) {
    const std::int64_t column = i == 0 ? 1 : 4;
    for (std::int64_t row = 0; row < 3; ++row) {
      const double expected = static_cast<double>(inputs[0](row * 5 + column)) +
                              static_cast<double>(inputs[1](column * 3 + row)) +
                              static_cast<double>(inputs[2](column * 3 + row));
      EXPECT_NEAR(out[static_cast<std::size_t>(i * 3 + row)], expected, 1e-12);
    }
  }
}

TEST(Reference, rows_asked_for_alone_are_those_of_the_whole) {
  PrepareRequest request;
  request.cell = {"layernorm", {{40, 500}}, DType::kF16, "cpu"};
  const CaseInfo& info = *find_case(request.cell.case_id);
  std::vector<std::int64_t> every(40);
  for (std::size_t i = 0; i < every.size(); ++i) every[i] = static_cast<std::int64_t>(i);
  const auto whole = reference_rows(info, request, 0, every);
  const auto some = reference_rows(info, request, 0, std::vector<std::int64_t>{7, 39});
  EXPECT_TRUE(std::equal(some.begin(), some.begin() + 500, whole.begin() + 7 * 500));
  EXPECT_TRUE(std::equal(some.begin() + 500, some.end(), whole.begin() + 39 * 500));
}

const float kInfinite = std::numeric_limits<float>::infinity();
const float kNotANumber = std::numeric_limits<float>::quiet_NaN();

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
  EXPECT_EQ(compared({kNotANumber}, {1}).mismatches, 1u);
  EXPECT_EQ(compared({1.0f}, {NAN}).mismatches, 1u);
  EXPECT_EQ(compared({kNotANumber}, {NAN}).mismatches, 1u);
}

TEST(Accuracy, infinities_must_match_in_sign) {
  EXPECT_EQ(compared({kInfinite}, {INFINITY}).mismatches, 0u);
  EXPECT_EQ(compared({kInfinite}, {-INFINITY}).mismatches, 1u);
  EXPECT_EQ(compared({kInfinite}, {1e300}).mismatches, 1u);
  EXPECT_EQ(compared({1.0f}, {INFINITY}).mismatches, 1u);
  EXPECT_EQ(compared({kInfinite}, {INFINITY}).norm_rel, 0);
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
  EXPECT_EQ(compared({1, kNotANumber, 900}, {1, 2, 1000}).worst_index, 1);
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

TEST(Accuracy, the_worst_of_parts_is_that_of_the_largest_share_of_its_tolerance) {
  // 0.5 of 0.12 allowed, and 1 of 10.1: the larger difference is not the worse one.
  Accuracy parts = compared({2.5f}, {2});
  merge(parts, compared({1001}, {1000}), 1);
  EXPECT_EQ(parts.worst_index, 0);
  EXPECT_DOUBLE_EQ(parts.max_abs, 1);
}

TEST(Accuracy, the_error_of_a_part_that_should_be_zero_counts) {
  Accuracy parts = compared({3}, {0});
  merge(parts, compared({4}, {4}), 1);
  EXPECT_DOUBLE_EQ(parts.norm_rel, compared({3, 4}, {0, 4}).norm_rel);
  EXPECT_DOUBLE_EQ(parts.norm_rel, 0.75);
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
