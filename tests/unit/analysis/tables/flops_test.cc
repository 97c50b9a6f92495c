#include "strobe/analysis/tables/flops.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using ::testing::ElementsAre;

TEST(OperatorShapesTest, shapes_by_position_come_with_the_plain_inputs) {
  const ShapeTexts texts = find_shapes(
      R"({"External id": 4, "Concrete Inputs": ["", "[1, 2]", "False"],
          "Input Dims": [[8, 512], [], []], "Ev Idx": 2})");
  EXPECT_TRUE(texts.is_by_position);
  EXPECT_EQ(texts.inputs, "[[8, 512], [], []]");
  const OperatorShapes shapes = read_shapes(texts);
  ASSERT_NE(shapes.input(0), nullptr);
  EXPECT_THAT(*shapes.input(0), ElementsAre(8, 512));
  EXPECT_EQ(shapes.input(1), nullptr);
  EXPECT_EQ(shapes.input(9), nullptr);
  EXPECT_THAT(shapes.plain_inputs, ElementsAre("", "[1, 2]", "False"));
}

TEST(OperatorShapesTest, shapes_by_name_mean_the_first_tensor_of_each) {
  const OperatorShapes shapes =
      read_shapes(find_shapes(R"({"input_shapes": {"x": [[2, 3], [9]], "Y": [3, 4], "z": []}})"));
  ASSERT_NE(shapes.named("x"), nullptr);
  EXPECT_THAT(*shapes.named("x"), ElementsAre(2, 3));
  EXPECT_THAT(*shapes.named("Y"), ElementsAre(3, 4));
  EXPECT_EQ(shapes.named("z"), nullptr);
  EXPECT_EQ(shapes.named("w"), nullptr);
}

TEST(OperatorShapesTest, a_tensor_without_dimensions_is_not_a_missing_one) {
  const OperatorShapes shapes = read_shapes(find_shapes(R"({"input_shapes": {"x": [[]]}})"));
  ASSERT_NE(shapes.named("x"), nullptr);
  EXPECT_TRUE(shapes.named("x")->empty());
}

TEST(OperatorShapesTest, without_shapes_the_texts_are_empty) {
  EXPECT_TRUE(find_shapes(R"({"External id": 4})").empty());
  EXPECT_TRUE(find_shapes(R"({"input_shapes": {}})").empty());
  EXPECT_TRUE(find_shapes("").empty());
  EXPECT_TRUE(find_shapes("not JSON").empty());
}

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

TEST(FlopFormulasTest, the_librarys_convolution_has_its_padding_before_its_stride) {
  EXPECT_EQ(flops("aten::cudnn_convolution",
                  R"({"Input Dims": [[32, 3, 224, 224], [64, 3, 7, 7], [], [], [], []],
                      "Concrete Inputs": ["", "", "[3, 3]", "[2, 2]", "[1, 1]", "1"]})"),
            2ull * 32 * 112 * 112 * 64 * 3 * 7 * 7);
}

TEST(FlopFormulasTest, groups_make_the_filter_smaller) {
  // 8 groups of one channel: each of the 8 x 8 positions of 8 channels takes 3 x 3 multiplications.
  EXPECT_EQ(flops("aten::convolution",
                  R"({"Input Dims": [[1, 8, 8, 8], [8, 1, 3, 3], [], [], [], [], [], [], []],
                      "Concrete Inputs": ["", "", "", "[1, 1]", "[1, 1]", "[1, 1]", "False",
                                          "[0, 0]", "8"]})"),
            2ull * 8 * 8 * 8 * 3 * 3);
}

// 8 x 8 input positions of 16 channels, each spread over 8 channels of 2 x 2.
constexpr std::uint64_t kTransposedFlops = 2 * (8 * 8) * 16 * 8 * (2 * 2);

TEST(FlopFormulasTest, a_transposed_convolution_spreads_every_input_position) {
  static_assert(kTransposedFlops == 65'536);
  EXPECT_EQ(flops("aten::convolution",
                  R"({"Input Dims": [[1, 16, 8, 8], [16, 8, 2, 2], [], [], [], [], [], [], []],
                      "Concrete Inputs": ["", "", "", "[2, 2]", "[0, 0]", "[1, 1]", "True",
                                          "[0, 0]", "1"]})"),
            kTransposedFlops);
  EXPECT_EQ(flops("aten::conv_transpose2d",
                  R"({"Input Dims": [[1, 16, 8, 8], [16, 8, 2, 2], [], [], [], [], [], []]})"),
            kTransposedFlops);
}

std::optional<std::uint64_t> backward_flops(const std::string& asked_for) {
  return flops("aten::convolution_backward",
               R"({"Input Dims": [[2, 64, 10, 10], [2, 3, 10, 10], [64, 3, 5, 5],
                                  [], [], [], [], [], [], [], []],
                   "Concrete Inputs": ["", "", "", "[0]", "[1, 1]", "[2, 2]", "[1, 1]", "False",
                                       "[0, 0]", "1", ")" +
                   asked_for + R"("]})");
}

TEST(FlopFormulasTest, the_backward_of_a_convolution_computes_the_gradients_asked_for) {
  constexpr std::uint64_t kForward = 2ull * 2 * 10 * 10 * 64 * 3 * 5 * 5;
  EXPECT_EQ(backward_flops("[True, True, False]"), 2 * kForward);
  EXPECT_EQ(backward_flops("[False, True, False]"), kForward);
  EXPECT_EQ(backward_flops("[True,False,True]"), kForward);
  EXPECT_EQ(backward_flops("[false, true, false]"), kForward);
  EXPECT_EQ(backward_flops("[False, False, True]"), 0u);
}

TEST(FlopFormulasTest, without_that_word_nobody_knows_how_many_gradients_it_computes) {
  EXPECT_EQ(backward_flops(""), std::nullopt);
  EXPECT_EQ(backward_flops("[]"), std::nullopt);
  EXPECT_EQ(flops("aten::convolution_backward",
                  R"({"Input Dims": [[2, 64, 10, 10], [2, 3, 10, 10], [64, 3, 5, 5]]})"),
            std::nullopt);
}

TEST(FlopFormulasTest, a_convolution_with_impossible_arguments_has_no_number) {
  const auto with_padding = [](const std::string& padding) {
    return flops("aten::conv2d", R"({"Input Dims": [[1, 3, 8, 8], [4, 3, 3, 3], [], [], [], []],
                                     "Concrete Inputs": ["", "", "", "[1, 1]", "[)" +
                                     padding + ", " + padding + R"(]", "[1, 1]", "1"]})");
  };
  EXPECT_EQ(with_padding("1"), 2ull * 8 * 8 * 4 * 3 * 3 * 3);
  EXPECT_EQ(with_padding("9223372036854775807"), std::nullopt);
  EXPECT_EQ(with_padding("-1"), std::nullopt);
}

TEST(FlopFormulasTest, the_backward_of_a_transposed_convolution_costs_its_forward_too) {
  EXPECT_EQ(flops("aten::convolution_backward",
                  R"({"Input Dims": [[1, 8, 16, 16], [1, 16, 8, 8], [16, 8, 2, 2]],
                      "Concrete Inputs": ["", "", "", "[0]", "[2, 2]", "[0, 0]", "[1, 1]", "True",
                                          "[0, 0]", "1", "[False, True, False]"]})"),
            kTransposedFlops);
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

using namespace strobe::literals;
constexpr std::string_view kProduct = R"({"Input Dims": [[4, 8], [8, 16]]})";  // 1024 FLOPs

TEST(FlopsTest, shapes_by_position_stand_for_the_whole_call) {
  const Trace trace = Sketch()
                          .slice("aten::matmul", kOp, 0_us, 10_us)
                          .args(kProduct)
                          .slice("aten::mm", kOp, 1_us, 5_us)
                          .args(kProduct)
                          .trace();
  EXPECT_THAT(estimate_flops(attribute_trace(trace)), ElementsAre(1024u, 1024u, 1024u));
}

TEST(FlopsTest, an_operator_without_a_formula_has_its_childrens) {
  const Trace trace = Sketch()
                          .slice("MmBackward", kOp, 0_us, 20_us)
                          .args(R"({"Input Dims": [[4, 16]]})")
                          .slice("aten::mm", kOp, 1_us, 5_us)
                          .args(kProduct)
                          .slice("aten::mm", kOp, 8_us, 5_us)
                          .args(kProduct)
                          .trace();
  EXPECT_EQ(estimate_flops(attribute_trace(trace))[1], 2048u);
}

TEST(FlopsTest, shapes_by_name_add_to_the_childrens) {
  constexpr std::string_view kNamed = R"({"input_shapes": {"X": [[4, 8]], "Y": [[8, 16]]}})";
  const Trace trace = Sketch()
                          .slice("matmul dygraph", kOp, 0_us, 20_us)
                          .args(kNamed)
                          .slice("matmul", kOp, 1_us, 5_us)
                          .args(kNamed)
                          .trace();
  EXPECT_EQ(estimate_flops(attribute_trace(trace))[1], 2048u);
}

TEST(FlopsTest, equal_shapes_with_other_plain_inputs_are_counted_apart) {
  // Stride 1 has 9 positions, stride 2 has 4 (a 5 x 5 input and a 3 x 3 filter).
  const auto args = [](const std::string& stride) {
    return R"({"Input Dims": [[1, 1, 5, 5], [1, 1, 3, 3], [], [], [], [], []], )"
           R"("Concrete Inputs": ["", "", "", ")" +
           stride + R"(", "[0, 0]", "[1, 1]", "1"]})";
  };
  const Trace trace = Sketch()
                          .slice("aten::conv2d", kOp, 0_us, 1_us)
                          .args(args("[1, 1]"))
                          .slice("aten::conv2d", kOp, 2_us, 1_us)
                          .args(args("[2, 2]"))
                          .trace();
  EXPECT_THAT(estimate_flops(attribute_trace(trace)), ElementsAre(18u * (9 + 4), 18u * 9, 18u * 4));
}

TEST(FlopsTest, without_arguments_or_shapes_nothing_is_known) {
  const Trace bare = Sketch().slice("aten::mm", kOp, 0_us, 1_us).trace();
  EXPECT_TRUE(estimate_flops(attribute_trace(bare)).empty());
  Sketch many;
  for (int i = 0; i < 100; ++i) {
    many.slice("aten::mm", kOp, 10_us * i, 1_us).args(R"({"External id": 1})");
  }
  const Trace unrecorded = many.trace();
  EXPECT_TRUE(estimate_flops(attribute_trace(unrecorded)).empty());
}

}  // namespace

}  // namespace strobe::analysis
