#include "strobe/analysis/tables/flop_formulas.h"

#include <gtest/gtest.h>

namespace strobe::analysis {
namespace {

std::optional<std::uint64_t> flops(std::string_view name, std::string_view args) {
  const FlopFormula formula = find_flop_formula(name);
  if (formula == nullptr) return std::nullopt;
  return formula(read_shapes(find_shapes(args)));
}

TEST(FlopFormulasTest, a_matrix_product_is_two_per_multiplication) {
  EXPECT_EQ(flops("aten::mm", R"({"Input Dims": [[4, 8], [8, 16]]})"), 2u * 4 * 8 * 16);
  EXPECT_EQ(flops("aten::addmm", R"({"Input Dims": [[16], [4, 8], [8, 16], [], []]})"),
            2u * 4 * 8 * 16);
  EXPECT_EQ(flops("aten::bmm", R"({"Input Dims": [[3, 4, 8], [3, 8, 16]]})"), 2u * 3 * 4 * 8 * 16);
  EXPECT_EQ(flops("aten::baddbmm", R"({"Input Dims": [[1], [3, 4, 8], [3, 8, 16]]})"),
            2u * 3 * 4 * 8 * 16);
}

TEST(FlopFormulasTest, batches_of_a_matmul_broadcast_and_vectors_are_matrices) {
  EXPECT_EQ(flops("aten::matmul", R"({"Input Dims": [[5, 1, 4, 8], [3, 8, 16]]})"),
            2u * 5 * 3 * 4 * 8 * 16);
  EXPECT_EQ(flops("aten::matmul", R"({"Input Dims": [[4, 8], [8]]})"), 2u * 4 * 8);
  EXPECT_EQ(flops("aten::matmul", R"({"Input Dims": [[8], [8, 16]]})"), 2u * 8 * 16);
}

TEST(FlopFormulasTest, a_linear_layer_multiplies_every_row_with_every_column) {
  EXPECT_EQ(flops("aten::linear", R"({"Input Dims": [[8, 512, 768], [2304, 768], [2304]]})"),
            2ull * 8 * 512 * 768 * 2304);
}

TEST(FlopFormulasTest, a_convolution_needs_its_stride_and_padding) {
  // (224 + 2*3 - 7) / 2 + 1 = 112 positions each way; 64 channels of 3*7*7 multiplications.
  EXPECT_EQ(flops("aten::conv2d",
                  R"({"Input Dims": [[32, 3, 224, 224], [64, 3, 7, 7], [], [], [], [], []],
                      "Concrete Inputs": ["", "", "", "[2, 2]", "[3, 3]", "[1, 1]", "1"]})"),
            2ull * 32 * 112 * 112 * 64 * 3 * 7 * 7);
  EXPECT_EQ(flops("aten::conv2d", R"({"Input Dims": [[32, 3, 224, 224], [64, 3, 7, 7]]})"),
            std::nullopt);
}

TEST(FlopFormulasTest, the_backward_of_a_convolution_computes_two_gradients) {
  EXPECT_EQ(flops("aten::convolution_backward",
                  R"({"Input Dims": [[2, 64, 10, 10], [2, 3, 10, 10], [64, 3, 5, 5]]})"),
            2u * (2ull * 2 * 10 * 10 * 64 * 3 * 5 * 5));
}

TEST(FlopFormulasTest, attention_is_two_products_and_its_backward_five) {
  const std::string_view forward =
      R"({"Input Dims": [[2, 4, 16, 8], [2, 4, 32, 8], [2, 4, 32, 8]]})";
  EXPECT_EQ(flops("aten::_scaled_dot_product_flash_attention", forward),
            2u * 2 * (2ull * 4 * 16 * 32 * 8));
  EXPECT_EQ(
      flops("aten::_scaled_dot_product_flash_attention_backward",
            R"({"Input Dims": [[2, 4, 16, 8], [2, 4, 16, 8], [2, 4, 32, 8], [2, 4, 32, 8]]})"),
      5u * 2 * (2ull * 4 * 16 * 32 * 8));
}

TEST(FlopFormulasTest, named_shapes_serve_the_other_framework) {
  EXPECT_EQ(flops("matmul dygraph", R"({"input_shapes": {"x": [[4, 8]], "y": [[8, 16]]}})"),
            2u * 4 * 8 * 16);
  EXPECT_EQ(flops("matmul_v2", R"({"input_shapes": {"X": [[4, 8]], "Y": [[16, 8]]}})"),
            2u * 4 * 8 * 16);  // read transposed, as 8 and 16 do not meet
  EXPECT_EQ(flops("matmul", R"({"input_shapes": {"x": [[8, 4]], "y": [[8, 16]]}})"),
            2u * 4 * 8 * 16);
  EXPECT_EQ(flops("matmul", R"({"input_shapes": {"x": [[8, 4]], "y": [[16, 8]]}})"),
            2u * 4 * 8 * 16);
  EXPECT_EQ(flops("elementwise_add compute", R"({"input_shapes": {"X": [[4, 1]], "Y": [[8]]}})"),
            32u);
  EXPECT_EQ(flops("softmax", R"({"input_shapes": {"X": [[4, 8]]}})"), 96u);
  EXPECT_EQ(flops("softmax dygraph", R"({"input_shapes": {"x": [[4, 8]]}})"), std::nullopt);
  EXPECT_EQ(flops("gelu", R"({"input_shapes": {"X": [[]]}})"), 5u);  // one element
  EXPECT_EQ(flops("gelu", R"({"input_shapes": {"X": []}})"), std::nullopt);
  EXPECT_EQ(flops("matmul", R"({"input_shapes": {"x": [[]], "y": [[8, 16]]}})"), std::nullopt);
}

TEST(FlopFormulasTest, unknown_operators_and_missing_shapes_have_no_answer) {
  EXPECT_EQ(find_flop_formula("aten::copy_"), nullptr);
  EXPECT_EQ(flops("aten::mm", R"({"Input Dims": [[4, 8]]})"), std::nullopt);
  EXPECT_EQ(flops("aten::mm", "{}"), std::nullopt);
}

}  // namespace
}  // namespace strobe::analysis
