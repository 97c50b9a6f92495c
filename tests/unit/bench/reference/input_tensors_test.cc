#include "strobe/bench/reference/input_tensors.h"

#include <cmath>

#include <gtest/gtest.h>

#include "strobe/bench/reference/half_float.h"
#include "strobe/bench/reference/input_values.h"
#include "tests/support/bench_sketch.h"

namespace strobe::bench {
namespace {

TEST(InputTensors, every_case_has_as_many_values_as_its_definition_says) {
  const auto sizes = [](const char* id, Shape shape) {
    std::vector<std::int64_t> elements;
    for (const InputTensor& tensor : input_tensors(*find_case(id), shape))
      elements.push_back(tensor.elements);
    return elements;
  };
  using Sizes = std::vector<std::int64_t>;
  EXPECT_EQ(sizes("layernorm", {{5, 7}}), (Sizes{35, 7, 7}));
  EXPECT_EQ(sizes("bias_dropout_add_transposed", {{5, 7}}), (Sizes{35, 35, 35}));
  EXPECT_EQ(sizes("matmul_add", {{2, 3, 5}}), (Sizes{10, 15, 6}));
  EXPECT_EQ(sizes("matmul_relu", {{2, 3, 5}}), (Sizes{10, 15}));
  EXPECT_EQ(sizes("matmul_matmul", {{2, 3, 5}}), (Sizes{10, 15, 15}));
  // 9 by 7 with a window of 3 and a stride of 2: 5 by 4 pixels.
  EXPECT_EQ(sizes("conv_add", {{2, 9, 7, 3, 4, 3, 2}}), (Sizes{378, 108, 160}));
  EXPECT_EQ(sizes("conv_bn", {{2, 9, 7, 3, 4, 3, 2}}), (Sizes{378, 108, 4, 4, 4, 4}));
  EXPECT_EQ(sizes("attention", {{2, 3, 5, 7}}), (Sizes{210, 210, 210}));
}

TEST(InputTensors, values_are_normal_and_of_unit_deviation) {
  const auto sources = input_sources(*find_case("softmax"), cell_request("softmax", {{1000, 100}}));
  double sum = 0, squares = 0;
  for (std::int64_t i = 0; i < 100000; ++i) {
    const auto value = static_cast<double>(sources[0](i));
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / 100000, 0, 0.015);  // 5 deviations of the mean
  EXPECT_NEAR(squares / 100000, 1, 0.02);
}

TEST(InputTensors, conditioned_values_add_up_to_about_one_a_row) {
  PrepareRequest request = cell_request("norm_chain", {{4, 10000}});
  request.law = InputLaw::kConditioned;
  const auto sources = input_sources(*find_case("norm_chain"), request);
  double sum = 0;
  for (std::int64_t i = 0; i < 10000; ++i) sum += static_cast<double>(sources[0](i));
  EXPECT_NEAR(sum, 1, 0.03);
}

TEST(InputTensors, a_gradient_is_normal_under_both_laws_and_its_softmax_a_share) {
  PrepareRequest request = cell_request("softmax_backward", {{4, 10000}});
  const auto timed = input_sources(*find_case("softmax_backward"), request);
  request.law = InputLaw::kConditioned;
  const auto checked = input_sources(*find_case("softmax_backward"), request);
  double sum = 0;
  for (std::int64_t i = 0; i < 10000; ++i) {
    ASSERT_EQ(checked[0](i), timed[0](i));
    ASSERT_GT(checked[1](i), 0.0f);
    sum += static_cast<double>(checked[1](i));
  }
  EXPECT_NEAR(sum, 1, 0.03);
}

TEST(InputTensors, a_variance_is_never_near_zero) {
  const auto sources =
      input_sources(*find_case("conv_bn"), cell_request("conv_bn", {{1, 3, 3, 1, 1000, 1, 1}}));
  for (std::int64_t i = 0; i < 1000; ++i) {
    EXPECT_GE(sources[5](i), 0.5f);
    EXPECT_LE(sources[5](i), 2.5f);
  }
}

// Twice the smallest sum is 2: more than any tolerance, and more than any residual's last digit.
TEST(InputTensors, a_kept_element_of_training_never_looks_dropped) {
  for (const char* id : {"bias_dropout_add_train", "bias_dropout_add_transposed_train"}) {
    for (const InputLaw law : {InputLaw::kNormal, InputLaw::kConditioned}) {
      PrepareRequest request = cell_request(id, {{100, 100}}, DType::kBf16);
      request.law = law;
      const auto sources = input_sources(*find_case(id), request);
      ASSERT_EQ(sources.size(), 3u);
      for (std::int64_t i = 0; i < 100; ++i) {
        EXPECT_GE(sources[0](i), 0.5f);
        EXPECT_GE(sources[1](i), 0.5f);
        EXPECT_LT(std::abs(sources[2](i)), 4.0f);
      }
    }
  }
  EXPECT_LT(input_sources(*find_case("bias_dropout_add"),
                          cell_request("bias_dropout_add", {{100, 100}}))[0](1),
            0.5f);
}

TEST(InputTensors, seeds_and_tensors_give_different_values) {
  EXPECT_NE(input_value(InputLaw::kNormal, 1, 0, 0, 1), input_value(InputLaw::kNormal, 2, 0, 0, 1));
  EXPECT_NE(input_value(InputLaw::kNormal, 1, 0, 0, 1), input_value(InputLaw::kNormal, 1, 1, 0, 1));
}

TEST(InputTensors, values_are_rounded_to_the_type_of_the_cell) {
  const auto exact = input_sources(*find_case("softmax"), cell_request("softmax", {{2, 2}}));
  const auto rounded =
      input_sources(*find_case("softmax"), cell_request("softmax", {{2, 2}}, DType::kBf16));
  std::vector<float> values(4);
  rounded[0].fill(values.data(), 0, 4);
  for (std::int64_t i = 0; i < 4; ++i) {
    EXPECT_EQ(values[static_cast<std::size_t>(i)], rounded_to(DType::kBf16, exact[0](i)));
  }
}

}  // namespace
}  // namespace strobe::bench
