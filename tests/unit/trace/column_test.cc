#include "strobe/trace/column.h"

#include <gmock/gmock.h>

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
  EXPECT_EQ(std::span<const int>(column).data(), column.data());
}

TEST(ColumnTest, it_borrows_without_a_copy) {
  const std::vector<int> lender = {1, 2};
  const Column<int> column = Column<int>::borrow(lender);
  EXPECT_EQ(column.data(), lender.data());
  EXPECT_THAT(column, ElementsAre(1, 2));
}

TEST(ColumnTest, what_was_moved_away_is_empty) {
  Column<int> column(std::vector<int>{3, 5});
  const int* const values = column.data();
  Column<int> moved = std::move(column);
  EXPECT_EQ(moved.data(), values);
  EXPECT_TRUE(column.empty());  // NOLINT(bugprone-use-after-move): that is the test
  column = std::move(moved);
  EXPECT_THAT(column, ElementsAre(3, 5));
  EXPECT_TRUE(moved.empty());  // NOLINT(bugprone-use-after-move): that is the test
}

}  // namespace
}  // namespace strobe
