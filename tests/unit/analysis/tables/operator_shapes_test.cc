#include "strobe/analysis/tables/operator_shapes.h"

#include <gmock/gmock.h>

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

}  // namespace
}  // namespace strobe::analysis
