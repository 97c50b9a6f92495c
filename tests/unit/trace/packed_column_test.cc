#include "strobe/trace/packed_column.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "strobe/trace/ids.h"
#include "strobe/trace/slice_kind.h"

namespace strobe {
namespace {

template <class T>
PackedColumn<T> packed_of(const std::vector<T>& values) {
  PackedColumn<T> column;
  for (std::size_t row = 0; row < values.size(); row += kPackedPageRows) {
    column.add_page(std::span(values).subspan(row, std::min(kPackedPageRows, values.size() - row)));
  }
  return column;
}

template <class T>
void expect_read_back(const std::vector<T>& values) {
  const PackedColumn<T> column = packed_of(values);
  ASSERT_EQ(column.size(), values.size());
  for (std::size_t row = 0; row < values.size(); ++row) ASSERT_EQ(column[row], values[row]) << row;
}

TEST(PackedColumnTest, numbers_of_any_width_read_back) {
  std::mt19937_64 random(1);
  for (int bits = 0; bits <= 64; ++bits) {
    std::vector<std::int64_t> times;
    for (std::size_t row = 0; row < kPackedPageRows + 7; ++row) {
      const std::uint64_t number = bits == 0 ? 0 : random() >> (64 - bits);
      times.push_back(static_cast<std::int64_t>(number - random() % 2));
    }
    expect_read_back(times);
  }
  expect_read_back<std::int64_t>(
      {std::numeric_limits<std::int64_t>::min(), 0, std::numeric_limits<std::int64_t>::max()});
  expect_read_back<std::uint64_t>({~std::uint64_t{0}, 0, 1});
  expect_read_back<double>({-1.5, 0, 1e300});
}

TEST(PackedColumnTest, ids_and_kinds_read_back_with_those_that_mean_none) {
  expect_read_back<ArgsId>({ArgsId(), ArgsId(0), ArgsId(70'000), ArgsId()});
  expect_read_back<CategoryId>({CategoryId(3), CategoryId(), CategoryId(0)});
  expect_read_back<std::uint32_t>({0, 0xFFFFFFFFu, 0xFFFFFFFEu});
  expect_read_back<std::uint8_t>({255, 0, 7});
  expect_read_back<SliceKind>({SliceKind::kKernel, SliceKind::kOther, SliceKind::kStep});
}

TEST(PackedColumnTest, equal_values_take_no_bytes_and_near_ones_few) {
  PackedColumn<std::int64_t> column;
  column.add_page(std::vector<std::int64_t>(kPackedPageRows, std::int64_t{1} << 60));
  const std::size_t bytes_of_equal = column.bytes();
  EXPECT_LT(bytes_of_equal, 100u);
  std::vector<std::int64_t> near;
  for (std::size_t row = 0; row < kPackedPageRows; ++row) {
    near.push_back((std::int64_t{1} << 60) - static_cast<std::int64_t>(row % 256));
  }
  column.add_page(near);
  constexpr std::size_t kWordBehind = 8;
  EXPECT_LE(column.bytes(), 2 * bytes_of_equal + kPackedPageRows + kWordBehind);
  ArgsId few_with_none[] = {ArgsId(), ArgsId(5)};
  PackedColumn<ArgsId> args;
  args.add_page(few_with_none);
  EXPECT_LE(args.bytes(), bytes_of_equal + kPackedPageRows);
}

TEST(PackedColumnTest, a_page_knows_its_range_and_whether_all_is_equal) {
  PackedColumn<std::int64_t> times;
  times.add_page(std::vector<std::int64_t>(kPackedPageRows, -5));
  times.add_page(std::vector<std::int64_t>{7, 9, 12});
  EXPECT_TRUE(times.page_is(kPackedPageRows - 1, -5));
  EXPECT_FALSE(times.page_is(0, 7));
  EXPECT_FALSE(times.page_is(kPackedPageRows, 7));
  EXPECT_EQ(times.page_range(0), std::pair(std::int64_t{-5}, std::int64_t{-5}));
  EXPECT_EQ(times.page_range(kPackedPageRows).first, 7);
  EXPECT_GE(times.page_range(kPackedPageRows).second, 12);

  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  PackedColumn<std::int64_t> late;
  late.add_page(std::vector<std::int64_t>{kMost - 4, kMost});
  EXPECT_EQ(late.page_range(0), std::pair(kMost - 4, kMost)) << "and not beyond";

  PackedColumn<std::uint32_t> launches;
  launches.add_page(std::vector<std::uint32_t>(3, 0xFFFFFFFFu));
  EXPECT_TRUE(launches.page_is(0, 0xFFFFFFFFu));
}

TEST(PackedColumnTest, a_page_can_be_replaced_and_the_last_ones_dropped) {
  PackedColumn<std::int64_t> column;
  for (const std::int64_t value : {1, 2, 3}) {
    column.add_page(std::vector<std::int64_t>(kPackedPageRows, value));
  }
  column.replace_page(1, std::vector<std::int64_t>(kPackedPageRows, 9));
  column.drop_pages(2);
  EXPECT_EQ(column.size(), 2 * kPackedPageRows);
  EXPECT_EQ(column[kPackedPageRows - 1], 1);
  EXPECT_EQ(column[kPackedPageRows], 9);
  column.drop_pages(5);
  EXPECT_EQ(column.size(), 2 * kPackedPageRows);
}

TEST(PackedColumnTest, values_change_in_their_pages) {
  constexpr std::size_t kRows = 2 * kPackedPageRows + 7;
  std::vector<std::uint32_t> values(kRows);
  std::iota(values.begin(), values.end(), 0u);
  PackedColumn<std::uint32_t> column = packed_of(values);
  std::size_t expected_row = kPackedPageRows - 3;
  column.change(expected_row, kRows, [&](std::size_t row, std::uint32_t& value) {
    EXPECT_EQ(row, expected_row++);
    EXPECT_EQ(value, row);
    value *= 1000;
  });
  EXPECT_EQ(expected_row, kRows);
  for (std::size_t row = 0; row < kRows; ++row) {
    ASSERT_EQ(column[row], row < kPackedPageRows - 3 ? row : row * 1000) << row;
  }
}

TEST(PackedColumnTest, rows_take_another_order) {
  constexpr std::size_t kRows = 3 * kPackedPageRows + 5;
  std::mt19937_64 random(2);
  std::vector<std::int64_t> values(kRows);
  for (std::int64_t& value : values) value = static_cast<std::int64_t>(random() >> 20);
  std::vector<std::uint32_t> order(kRows);
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::shuffle(order, random);
  PackedColumn<std::int64_t> column = packed_of(values);
  column.reorder(order);
  ASSERT_EQ(column.size(), kRows);
  for (std::size_t row = 0; row < kRows; ++row) ASSERT_EQ(column[row], values[order[row]]) << row;

  PackedColumn<std::int64_t> equal = packed_of(std::vector<std::int64_t>(kRows, 7));
  equal.reorder(order);
  ASSERT_EQ(equal.size(), kRows);
  EXPECT_EQ(equal[kRows - 1], 7);
  std::vector<std::int64_t> two_pages(2 * kPackedPageRows, 7);
  std::fill_n(two_pages.begin(), kPackedPageRows, 6);
  PackedColumn<std::int64_t> two = packed_of(two_pages);
  std::vector<std::uint32_t> turned(two_pages.size());
  std::iota(turned.rbegin(), turned.rend(), 0u);
  two.reorder(turned);
  EXPECT_EQ(two[0], 7) << "each page has one value, but not the same";
}

}  // namespace
}  // namespace strobe
