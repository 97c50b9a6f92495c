#include "strobe/bench/reference/reference.h"

#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/bench/reference/input_tensors.h"

namespace strobe::bench {
namespace {

using testing::ElementsAre;

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

}  // namespace
}  // namespace strobe::bench
