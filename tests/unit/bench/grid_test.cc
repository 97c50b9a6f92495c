#include "strobe/bench/grid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strobe::bench {
namespace {

TEST(Grid, the_usual_grid_has_a_hundred_shapes_row_by_row) {
  const auto shapes = grid_shapes("grid2d", CaseKind::kRows);
  ASSERT_TRUE(shapes);
  ASSERT_EQ(shapes->size(), 100u);
  EXPECT_EQ((*shapes)[1], (Shape{{128, 256}}));
  EXPECT_EQ((*shapes)[64], (Shape{{8192, 2048}}));
  EXPECT_EQ(shapes->back(), (Shape{{65536, 65536}}));
}

TEST(Grid, attention_has_two_blocks_of_forty_two) {
  const auto shapes = grid_shapes("attention", CaseKind::kAttention);
  ASSERT_TRUE(shapes);
  ASSERT_EQ(shapes->size(), 84u);
  EXPECT_EQ(shapes->front(), (Shape{{1, 128, 32, 64}}));
  EXPECT_EQ((*shapes)[42], (Shape{{1, 128, 16, 128}}));
}

TEST(Grid, every_shape_has_the_axes_of_its_kind) {
  for (const CaseInfo& info : cases()) {
    for (const std::string_view grid : {"quick", "odd"}) {
      const auto shapes = grid_shapes(grid, info.kind);
      ASSERT_TRUE(shapes) << info.id;
      for (const Shape& shape : *shapes) EXPECT_EQ(shape.dims.size(), axes_of(info.kind));
    }
  }
}

TEST(Grid, an_unknown_grid_is_a_wrong_command_line_that_names_the_others) {
  const auto shapes = grid_shapes("huge", CaseKind::kRows);
  ASSERT_FALSE(shapes);
  EXPECT_EQ(shapes.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(shapes.error().hint, ::testing::HasSubstr("grid2d"));
  for (const CaseKind kind : {CaseKind::kMatmul, CaseKind::kConvolution, CaseKind::kAttention}) {
    EXPECT_FALSE(grid_shapes("qiuck", kind));
  }
}

TEST(Grid, names_of_earlier_versions_are_understood_but_not_listed) {
  EXPECT_EQ(grid_shapes("seed2d", CaseKind::kRows).value(),
            grid_shapes("grid2d", CaseKind::kRows).value());
  EXPECT_EQ(grid_shapes("seed-layout", CaseKind::kRows).value(),
            grid_shapes("layout", CaseKind::kRows).value());
  EXPECT_EQ(grid_shapes("seed-mha", CaseKind::kAttention).value(),
            grid_shapes("mha", CaseKind::kAttention).value());
  EXPECT_EQ(grid_shapes("seed-attn", CaseKind::kAttention).value(),
            grid_shapes("attention", CaseKind::kAttention).value());
  EXPECT_THAT(grid_names(), ::testing::Not(::testing::Contains(::testing::StartsWith("seed"))));
}

}  // namespace
}  // namespace strobe::bench
