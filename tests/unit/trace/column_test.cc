#include "strobe/trace/column.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace strobe {
namespace {

using ::testing::ElementsAre;

TEST(ColumnTest, it_owns_what_it_was_given) {
  const Column<int> column(std::vector<int>{3, 5, 7});
  EXPECT_THAT(column, ElementsAre(3, 5, 7));
  EXPECT_EQ(column.size(), 3u);
  EXPECT_EQ(column[1], 5);
  EXPECT_EQ(column.front(), 3);
  EXPECT_EQ(column.back(), 7);
  EXPECT_EQ(column.unpacked().size(), 3u);
}

TEST(ColumnTest, it_borrows_without_a_copy) {
  const std::vector<int> lender = {1, 2};
  const Column<int> column = Column<int>::borrow(lender);
  EXPECT_EQ(column.unpacked().data(), lender.data());
  EXPECT_THAT(column, ElementsAre(1, 2));
}

TEST(ColumnTest, packed_values_are_read_as_others_are) {
  PackedColumn<int> packed;
  packed.add_page(std::vector<int>{-3, 5, 7});
  const Column<int> column(std::move(packed));
  EXPECT_THAT(column, ElementsAre(-3, 5, 7));
  EXPECT_EQ(column, (std::vector<int>{-3, 5, 7}));
  EXPECT_EQ(column.back(), 7);
  EXPECT_TRUE(column.unpacked().empty());
  EXPECT_EQ(std::ranges::find(column, 5) - column.begin(), 1);
}

TEST(ColumnTest, what_was_moved_away_is_empty) {
  Column<int> column(std::vector<int>{3, 5});
  const int* const values = column.unpacked().data();
  Column<int> moved = std::move(column);
  EXPECT_EQ(moved.unpacked().data(), values);
  EXPECT_TRUE(column.empty());  // NOLINT(bugprone-use-after-move): that is the test
  column = std::move(moved);
  EXPECT_THAT(column, ElementsAre(3, 5));
  EXPECT_TRUE(moved.empty());  // NOLINT(bugprone-use-after-move): that is the test
}

}  // namespace
}  // namespace strobe
