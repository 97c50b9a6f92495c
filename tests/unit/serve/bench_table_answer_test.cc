#include "strobe/serve/bench_table_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strobe::serve {
namespace {

using bench::Shape;
using ::testing::ElementsAre;
using Row = std::vector<std::optional<std::size_t>>;

TEST(BenchPanelsTest, two_axes_are_rows_and_columns_sorted_and_with_holes) {
  const std::vector<Shape> shapes = {{{4096, 128}}, {{128, 128}}, {{128, 1024}}};
  const auto panels = panels_of(shapes);
  ASSERT_EQ(panels.size(), 1u);
  EXPECT_EQ(panels[0].title, "");
  EXPECT_EQ(panels[0].row_axis, "dim0");
  EXPECT_THAT(panels[0].rows, ElementsAre("128", "4096"));
  EXPECT_THAT(panels[0].columns, ElementsAre("128", "1024"));
  EXPECT_THAT(panels[0].cells, ElementsAre(Row{1, 2}, Row{0, std::nullopt}));
}

TEST(BenchPanelsTest, attention_has_a_panel_per_head_dimension) {
  std::vector<Shape> shapes;
  for (const std::int64_t batch : {1, 2}) {
    for (const std::int64_t sequence : {128, 256}) {
      shapes.push_back({{batch, sequence, 16, 128}});
      shapes.push_back({{batch, sequence, 32, 64}});
    }
  }
  const auto panels = panels_of(shapes);
  ASSERT_EQ(panels.size(), 2u);
  EXPECT_EQ(panels[0].title, "32 heads, head dimension 64");
  EXPECT_EQ(panels[1].title, "16 heads, head dimension 128");
  EXPECT_EQ(panels[0].column_axis, "sequence");
  EXPECT_THAT(panels[0].cells, ElementsAre(Row{1, 3}, Row{5, 7}));
}

TEST(BenchPanelsTest, convolutions_mixed_shapes_and_a_few_picked_by_hand_are_lists) {
  const std::vector<Shape> convolutions = {{{32, 56, 56, 64, 64, 3, 1}},
                                           {{32, 28, 28, 8, 8, 3, 1}}};
  ASSERT_EQ(panels_of(convolutions).size(), 1u);
  EXPECT_EQ(panels_of(convolutions)[0].column_axis, "");
  EXPECT_THAT(panels_of(convolutions)[0].rows,
              ElementsAre("32x56x56x64x64x3x1", "32x28x28x8x8x3x1"));
  EXPECT_EQ(panels_of(std::vector<Shape>{{{8, 8}}, {{8, 8, 8}}})[0].column_axis, "");
  std::vector<Shape> diagonal;
  for (std::int64_t i = 1; i <= 9; ++i) diagonal.push_back({{i, i}});
  EXPECT_EQ(panels_of(diagonal)[0].rows.size(), 9u);
  EXPECT_EQ(panels_of(diagonal)[0].column_axis, "");
  const std::vector<Shape> depths = {{{64, 64, 1}}, {{64, 64, 2}}};
  EXPECT_EQ(panels_of(depths).size(), 1u);
}

TEST(BenchPanelsTest, nothing_has_no_panels) { EXPECT_TRUE(panels_of({}).empty()); }

}  // namespace
}  // namespace strobe::serve
