#include "strobe/bench/cell.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strobe::bench {
namespace {

TEST(Shape, is_read_with_either_sign_between_its_sizes) {
  EXPECT_EQ(*parse_shape("4096x128"), (Shape{{4096, 128}}));
  EXPECT_EQ(*parse_shape("8,2048,32,64"), (Shape{{8, 2048, 32, 64}}));
  EXPECT_EQ(shape_text({{8, 2048, 32, 64}}), "8x2048x32x64");
}

TEST(Shape, that_is_none_is_a_wrong_command_line) {
  for (const char* text : {"", "x", "4096x", "4096x0", "-1x4", "4096*4096", "1e9x4",
                           "99999999999999999999x2", "2199023255552x2"}) {
    const auto shape = parse_shape(text);
    ASSERT_FALSE(shape) << text;
    EXPECT_EQ(shape.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST(DType, has_a_name_and_a_size) {
  for (const DType type : {DType::kF32, DType::kF16, DType::kBf16}) {
    EXPECT_EQ(*parse_dtype(dtype_name(type)), type);
  }
  EXPECT_EQ(bytes_of(DType::kF32), 4);
  EXPECT_EQ(bytes_of(DType::kBf16), 2);
  EXPECT_THAT(parse_dtype("f64").error().hint, ::testing::HasSubstr("bf16"));
}

TEST(Cell, reads_as_one_line) {
  EXPECT_EQ(cell_text({"softmax", {{4096, 1024}}, DType::kF16, "cuda-fused"}),
            "softmax 4096x1024 f16 cuda-fused");
}

}  // namespace
}  // namespace strobe::bench
