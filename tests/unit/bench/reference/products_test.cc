#include "strobe/bench/reference/products.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "strobe/bench/reference/input_tensors.h"
#include "strobe/bench/reference/reference.h"
#include "tests/support/bench_sketch.h"

namespace strobe::bench {
namespace {

// Input `number` of a cell, as a function of its index.
struct Inputs {
  explicit Inputs(const PrepareRequest& request)
      : sources(input_sources(*find_case(request.cell.case_id), request)) {}
  double operator()(std::size_t number, std::int64_t index) const {
    return static_cast<double>(sources[number](index));
  }
  std::vector<InputSource> sources;
};

std::vector<double> rows_of(const PrepareRequest& request, std::vector<std::int64_t> rows) {
  return reference_rows(*find_case(request.cell.case_id), request, 0, rows);
}

TEST(Products, a_matmul_of_two_by_two_by_hand) {
  const PrepareRequest request = cell_request("matmul_add", {{2, 2, 2}});
  const Inputs in(request);
  const auto out = rows_of(request, {1});
  EXPECT_DOUBLE_EQ(out[0], in(0, 2) * in(1, 0) + in(0, 3) * in(1, 2) + in(2, 2));
  EXPECT_DOUBLE_EQ(out[1], in(0, 2) * in(1, 1) + in(0, 3) * in(1, 3) + in(2, 3));
}

TEST(Products, a_matmul_ends_with_what_its_name_says) {
  const Shape shape = {{3, 300, 5}};  // more columns than a block
  const Inputs in(cell_request("matmul_add_relu", shape));
  const auto relu = rows_of(cell_request("matmul_relu", shape), {0, 2});
  const auto add = rows_of(cell_request("matmul_add", shape), {0, 2});
  const auto both = rows_of(cell_request("matmul_add_relu", shape), {0, 2});
  for (std::int64_t i = 0; i < 2; ++i) {
    for (std::int64_t n = 0; n < 300; ++n) {
      double sum = 0;
      for (std::int64_t k = 0; k < 5; ++k) sum += in(0, 2 * i * 5 + k) * in(1, k * 300 + n);
      const auto at = static_cast<std::size_t>(i * 300 + n);
      EXPECT_NEAR(relu[at], std::max(sum, 0.0), 1e-12);
      EXPECT_NEAR(add[at], sum + in(2, 2 * i * 300 + n), 1e-12);
      EXPECT_NEAR(both[at], std::max(add[at], 0.0), 1e-12);
    }
  }
}

TEST(Products, two_matmuls_one_after_the_other) {
  const PrepareRequest request = cell_request("matmul_matmul", {{4, 3, 2}});
  const Inputs in(request);
  const auto out = rows_of(request, {3});
  for (std::int64_t j = 0; j < 2; ++j) {
    double sum = 0;
    for (std::int64_t n = 0; n < 3; ++n) {
      sum += (in(0, 6) * in(1, n) + in(0, 7) * in(1, 3 + n)) * in(2, n * 2 + j);
    }
    EXPECT_NEAR(out[static_cast<std::size_t>(j)], sum, 1e-12);
  }
}

TEST(Products, a_window_of_one_is_a_matmul_of_pixels) {
  const PrepareRequest request = cell_request("conv_relu", {{1, 2, 2, 3, 2, 1, 1}});
  const Inputs in(request);
  const auto out = rows_of(request, {3});
  for (std::int64_t filter = 0; filter < 2; ++filter) {
    double sum = 0;
    for (std::int64_t c = 0; c < 3; ++c) sum += in(0, 9 + c) * in(1, filter * 3 + c);
    EXPECT_NEAR(out[static_cast<std::size_t>(filter)], std::max(sum, 0.0), 1e-12);
  }
}

TEST(Products, a_window_over_the_edge_sees_zeros) {
  // One channel, one filter, 2 by 2 pixels, a window of 3: pixel (0, 0) meets weights (1,1) (1,2)
  // (2,1) (2,2).
  const PrepareRequest request = cell_request("conv_add", {{1, 2, 2, 1, 1, 3, 1}});
  const Inputs in(request);
  const double sum =
      in(0, 0) * in(1, 4) + in(0, 1) * in(1, 5) + in(0, 2) * in(1, 7) + in(0, 3) * in(1, 8);
  EXPECT_NEAR(rows_of(request, {0})[0], sum + in(2, 0), 1e-12);
}

TEST(Products, a_stride_leaves_pixels_out) {
  // 3 by 3 pixels, a window of 1 with stride 2: the four corners.
  const PrepareRequest request = cell_request("conv_relu", {{2, 3, 3, 1, 1, 1, 2}});
  const Inputs in(request);
  const auto out = rows_of(request, {0, 1, 2, 3, 4});
  const std::vector<std::int64_t> corners = {0, 2, 6, 8, 9};  // the fifth is the next image's first
  for (std::size_t i = 0; i < corners.size(); ++i) {
    EXPECT_NEAR(out[i], std::max(in(0, corners[i]) * in(1, 0), 0.0), 1e-12);
  }
}

TEST(Products, batch_norm_at_inference_by_hand) {
  const PrepareRequest request = cell_request("conv_bn", {{1, 1, 1, 1, 2, 1, 1}});
  const Inputs in(request);
  const auto out = rows_of(request, {0});
  for (std::int64_t k = 0; k < 2; ++k) {
    const double value = in(0, 0) * in(1, k);
    EXPECT_NEAR(out[static_cast<std::size_t>(k)],
                in(2, k) * (value - in(4, k)) / std::sqrt(in(5, k) + 1e-5) + in(3, k), 1e-12);
  }
}

TEST(Products, the_first_query_sees_its_own_value_only) {
  // Batch 2, sequence 3, heads 2, depth 2; row of (b, h, s) is (b 2 + h) 3 + s, v of it at ((b 3 +
  // s) 2 + h) 2.
  const PrepareRequest request = cell_request("attention", {{2, 3, 2, 2}});
  const Inputs in(request);
  const auto out = rows_of(request, {(1 * 2 + 1) * 3 + 0});
  EXPECT_NEAR(out[0], in(2, ((1 * 3 + 0) * 2 + 1) * 2), 1e-12);
  EXPECT_NEAR(out[1], in(2, ((1 * 3 + 0) * 2 + 1) * 2 + 1), 1e-12);
}

TEST(Products, the_second_query_weighs_two_values) {
  const PrepareRequest request = cell_request("attention", {{1, 3, 1, 2}}, DType::kF16);
  const Inputs in(request);
  const auto score = [&](std::int64_t j) {
    return (in(0, 2) * in(1, 2 * j) + in(0, 3) * in(1, 2 * j + 1)) / std::sqrt(2.0);
  };
  const double first = 1 / (1 + std::exp(score(1) - score(0)));
  const auto out = rows_of(request, {1});
  EXPECT_NEAR(out[0], first * in(2, 0) + (1 - first) * in(2, 2), 1e-12);
  EXPECT_NEAR(out[1], first * in(2, 1) + (1 - first) * in(2, 3), 1e-12);
}

TEST(Products, more_rows_than_are_held_at_once_come_in_order) {
  const PrepareRequest request = cell_request("matmul_relu", {{1500, 1, 1}});
  const Inputs in(request);
  std::vector<std::int64_t> rows(1500);
  for (std::int64_t i = 0; i < 1500; ++i) rows[static_cast<std::size_t>(i)] = i;
  const auto out = rows_of(request, rows);
  ASSERT_EQ(out.size(), 1500u);
  for (std::int64_t i = 0; i < 1500; ++i) {
    EXPECT_EQ(out[static_cast<std::size_t>(i)], std::max(in(0, i) * in(1, 0), 0.0));
  }
}

}  // namespace
}  // namespace strobe::bench
