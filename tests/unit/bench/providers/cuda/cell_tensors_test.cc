#include "strobe/bench/providers/cuda/cell_tensors.h"

#include <gtest/gtest.h>

namespace strobe::bench {
namespace {

using Role = CellTensor::Role;

TEST(CellTensors, lie_one_after_the_other_at_multiples_of_256_bytes) {
  const CellTensors tensors(*find_case("layernorm"), {{3, 100}}, DType::kF32, {});
  ASSERT_EQ(tensors.all().size(), 4u);
  EXPECT_EQ(tensors.all()[0].name, "x");
  EXPECT_EQ(tensors.all()[0].bytes, 1200u);
  EXPECT_EQ(tensors.find("gamma")->offset, 1280u);
  EXPECT_EQ(tensors.find("gamma")->elements(), 100);
  EXPECT_EQ(tensors.find("beta")->offset, 1280u + 512);
  EXPECT_EQ(tensors.find("beta")->number, 2u);
  EXPECT_EQ(tensors.find("out")->offset, 1280u + 1024);
  EXPECT_EQ(tensors.find("out")->role, Role::kOutput);
  EXPECT_EQ(tensors.resident_bytes(), 2u * 1200 + 2 * 400);
  EXPECT_EQ(tensors.stride_bytes(), 2u * 1280 + 2 * 512);
  EXPECT_EQ(tensors.find("nobody"), nullptr);
}

TEST(CellTensors, a_sum_of_rows_has_one_value_a_row) {
  const CellTensors tensors(*find_case("horizontal_reduction_pointwise"), {{5, 7}}, DType::kF16,
                            {});
  EXPECT_EQ(tensors.output_count(), 2u);
  EXPECT_EQ(tensors.output(0).rows, 5);
  EXPECT_EQ(tensors.output(0).columns, 1);
  EXPECT_EQ(tensors.output(1).columns, 7);
  EXPECT_EQ(tensors.output(1).bytes, 70u);
}

TEST(CellTensors, what_is_stored_the_other_way_round_has_as_many_rows_as_columns) {
  const CellTensors tensors(*find_case("bias_dropout_add_transposed"), {{5, 7}}, DType::kF32, {});
  EXPECT_EQ(tensors.output(0).rows, 7);
  EXPECT_EQ(tensors.output(0).columns, 5);
  EXPECT_EQ(tensors.find("inp")->rows, 5);
}

TEST(CellTensors, what_lies_between_comes_last_and_may_be_larger_than_its_extent) {
  const std::vector<ProgramBuffer> between = {{{.name = "m", .extent = Extent::kRows}, 5},
                                              {{.name = "partial", .extent = Extent::kRows}, 1000}};
  const CellTensors tensors(*find_case("softmax"), {{5, 7}}, DType::kF32, between);
  EXPECT_EQ(tensors.find("m")->role, Role::kBetween);
  EXPECT_EQ(tensors.find("m")->bytes, 20u);
  EXPECT_EQ(tensors.find("partial")->bytes, 4000u);
}

}  // namespace
}  // namespace strobe::bench
