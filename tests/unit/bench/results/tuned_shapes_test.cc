#include "strobe/bench/results/tuned_shapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strobe::bench {
namespace {

using ::testing::ElementsAre;

constexpr std::string_view kHeader =
    "device,case,dim0,dim1,xblock,yblock,num_warps,num_stages,shared_bytes,arch\n";

TEST(TunedShapes, a_row_is_what_was_chosen_for_a_shape) {
  const auto read =
      parse_tuned_shapes(std::string(kHeader) + "A100,layout,32,1024,32,16,2,1,2112,80\r\n", "x");
  ASSERT_TRUE(read) << read.error().what;
  ASSERT_EQ(read->shapes.size(), 1u);
  const TunedShape& tuned = read->shapes[0];
  EXPECT_EQ(tuned.device, "A100");
  EXPECT_EQ(tuned.case_id, "layout");
  EXPECT_EQ(tuned.shape, (Shape{{32, 1024}}));
  EXPECT_EQ(tuned.block_x, 32);
  EXPECT_EQ(tuned.block_y, 16);
  EXPECT_EQ(tuned.warps, 2);
  EXPECT_EQ(tuned.stages, 1);
  EXPECT_EQ(tuned.shared_bytes, 2112);
}

TEST(TunedShapes, they_are_told_by_their_columns) {
  EXPECT_TRUE(looks_like_tuned_shapes(kHeader));
  EXPECT_TRUE(looks_like_tuned_shapes("\xEF\xBB\xBF" + std::string(kHeader)));
  EXPECT_FALSE(looks_like_tuned_shapes("case,dim0,dim1,value\n"));
  EXPECT_FALSE(looks_like_tuned_shapes(""));
}

TEST(TunedShapes, a_row_that_cannot_be_used_is_left_out_and_told) {
  const auto read = parse_tuned_shapes(
      std::string(kHeader) +
          "A100,layout,32,1024,32,0,2,1,,80\nA100,layout,32,1024,32,16,2,1,,80\n",
      "x");
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(read->shapes.size(), 1u);
  EXPECT_THAT(read->remarks, ElementsAre("line 2, column 'yblock': '0' is no number that can stand "
                                         "here; the row is left out"));
}

TEST(TunedShapes, nothing_that_can_be_used_is_an_error) {
  EXPECT_EQ(parse_tuned_shapes(kHeader, "x").error().what, "it has no rows");
  EXPECT_EQ(parse_tuned_shapes("case,dim0\n", "x").error().code, ErrorCode::kMalformed);
  EXPECT_EQ(parse_tuned_shapes(std::string(kHeader) + "a,,1,1,1,1,1,1\n", "x").error().code,
            ErrorCode::kTooLittleData);
}

}  // namespace
}  // namespace strobe::bench
