#include "strobe/trace/column.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
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

TEST(ColumnTest, columns_are_read_page_by_page) {
  std::vector<std::int64_t> numbers(2 * kPackedPageRows + 3);
  std::iota(numbers.begin(), numbers.end(), -5);
  PackedColumn<std::int64_t> packed;
  for (std::size_t row = 0; row < numbers.size(); row += kPackedPageRows) {
    const std::size_t rows = std::min(kPackedPageRows, numbers.size() - row);
    packed.add_page(std::span(numbers).subspan(row, rows));
  }
  const Column<std::int64_t> one(std::move(packed));
  const Column<std::int64_t> other = Column<std::int64_t>::borrow(numbers);
  std::size_t next = 0;
  for_each_page(
      [&](std::size_t first, std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
        ASSERT_EQ(first, next);
        ASSERT_EQ(a.size(), b.size());
        ASSERT_TRUE(std::ranges::equal(a, std::span(numbers).subspan(first, a.size())));
        ASSERT_TRUE(std::ranges::equal(b, a));
        next += a.size();
      },
      one, other);
  EXPECT_EQ(next, numbers.size());
  for_each_page([&](std::size_t, auto) { FAIL() << "there is no page"; }, Column<int>());
}

TEST(ColumnTest, pages_that_are_not_needed_are_left_out) {
  PackedColumn<int> packed;
  packed.add_page(std::vector<int>(kPackedPageRows, 4));
  packed.add_page(std::vector<int>{4, 5});
  const Column<int> column(std::move(packed));
  const auto is_only_4 = [&](std::size_t first) { return page_is(column, first, 4); };
  std::vector<std::size_t> seen;
  for_each_page_unless(
      is_only_4, [&](std::size_t first, auto) { seen.push_back(first); }, column);
  EXPECT_EQ(seen, std::vector<std::size_t>{kPackedPageRows});
  EXPECT_FALSE(page_is(Column<int>(std::vector<int>{4, 4}), 0, 4)) << "nobody has looked";
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
