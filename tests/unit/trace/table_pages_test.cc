#include "strobe/trace/table_pages.h"

#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace strobe {
namespace {

FlowVectors numbered(std::size_t rows) {
  FlowVectors flows;
  for (std::size_t row = 0; row < rows; ++row) {
    flows.times_ns.push_back(static_cast<std::int64_t>(row));
    flows.ids.push_back(row * 7);
    flows.tracks.push_back(TrackId(row / 100));
    flows.categories.push_back(CategoryId(1));
    flows.phases.push_back(row % 2 == 0 ? FlowPhase::kStart : FlowPhase::kEnd);
  }
  return flows;
}

TEST(TablePagesTest, whole_pages_are_taken_from_the_front) {
  FlowVectors rows = numbered(2 * kPackedPageRows + 10);
  TablePages<FlowTable> pages;
  pages.take_pages(rows, kPackedPageRows - 1);
  EXPECT_EQ(pages.size(), 0u);
  pages.take_pages(rows, 2 * kPackedPageRows - 1);
  EXPECT_EQ(pages.size(), kPackedPageRows);
  EXPECT_TRUE(has_rows(rows, kPackedPageRows + 10));
  EXPECT_EQ(rows.times_ns.front(), static_cast<std::int64_t>(kPackedPageRows));
  EXPECT_EQ(pages.columns().ids[500], 3500u);
}

TEST(TablePagesTest, at_the_end_all_rows_are_there) {
  constexpr std::size_t kRows = 3 * kPackedPageRows + 10;
  FlowVectors rows = numbered(kRows);
  const FlowVectors expected = rows;
  TablePages<FlowTable> pages;
  pages.take_pages(rows, kPackedPageRows);
  const FlowTable<PackedColumn> packed = pages.finish(std::move(rows));
  ASSERT_TRUE(has_rows(packed, kRows));
  for (std::size_t row = 0; row < kRows; ++row) {
    ASSERT_EQ(packed.times_ns[row], expected.times_ns[row]);
    ASSERT_EQ(packed.ids[row], expected.ids[row]);
    ASSERT_EQ(packed.tracks[row], expected.tracks[row]);
    ASSERT_EQ(packed.phases[row], expected.phases[row]);
  }
}

TEST(TablePagesTest, pages_are_given_back_to_the_front) {
  FlowVectors rows = numbered(4 * kPackedPageRows);
  const FlowVectors expected = rows;
  TablePages<FlowTable> pages;
  pages.take_pages(rows, 3 * kPackedPageRows);
  pages.give_back(3 * kPackedPageRows, rows);
  EXPECT_EQ(pages.size(), 3 * kPackedPageRows) << "that row was not packed";
  pages.give_back(kPackedPageRows + 5, rows);
  EXPECT_EQ(pages.size(), kPackedPageRows);
  EXPECT_EQ(rows.times_ns.front(), static_cast<std::int64_t>(kPackedPageRows));
  pages.give_back(0, rows);
  EXPECT_EQ(pages.size(), 0u);
  EXPECT_EQ(rows.ids, expected.ids);
  EXPECT_EQ(rows.phases, expected.phases);
}

TEST(TablePagesTest, packed_rows_can_be_changed) {
  FlowVectors rows = numbered(3 * kPackedPageRows);
  TablePages<FlowTable> pages;
  pages.take_pages(rows, rows.size());
  const std::size_t first = kPackedPageRows - 2;
  const std::size_t end = 2 * kPackedPageRows + 1;
  pages.change(first, end, [](FlowVectors& some, std::size_t from, std::size_t to) {
    for (std::size_t row = from; row < to; ++row) some.ids[row] = 1;
  });
  const auto& ids = pages.columns().ids;
  for (std::size_t row = 0; row < ids.size(); ++row) {
    ASSERT_EQ(ids[row], row >= first && row < end ? 1 : row * 7) << row;
  }
}

TEST(TablePagesTest, all_rows_can_be_taken_reordered_and_changed_in_one_column) {
  constexpr std::size_t kRows = kPackedPageRows + 10;
  FlowVectors rows = numbered(kRows);
  const FlowVectors expected = rows;
  TablePages<FlowTable> pages;
  pages.take_all(rows);
  EXPECT_EQ(pages.size(), kRows);
  EXPECT_TRUE(has_rows(rows, 0));
  std::vector<std::uint32_t> order(kRows);
  for (std::uint32_t row = 0; row < kRows; ++row)
    order[row] = static_cast<std::uint32_t>(kRows) - 1 - row;
  pages.reorder(order);
  pages.change_column(
      [](auto& flows) -> auto& { return flows.tracks; }, 0, 2 * kRows,
      [](std::size_t row, TrackId& track) {
        if (row % 2 == 0) track = TrackId(1000);
      });
  const FlowTable<PackedColumn> packed = pages.finish({});
  ASSERT_TRUE(has_rows(packed, kRows));
  for (std::size_t row = 0; row < kRows; ++row) {
    ASSERT_EQ(packed.times_ns[row], expected.times_ns[kRows - 1 - row]);
    ASSERT_EQ(packed.ids[row], expected.ids[kRows - 1 - row]);
    ASSERT_EQ(packed.tracks[row], row % 2 == 0 ? TrackId(1000) : expected.tracks[kRows - 1 - row]);
  }
}

}  // namespace
}  // namespace strobe
