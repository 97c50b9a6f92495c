#include "strobe/compare/measure/time_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace strobe::compare {
namespace {

using ::testing::ElementsAre;

const TimeParts kParts(std::vector<Interval>{{10, 20}, {20, 30}, {50, 60}});

TEST(TimePartsTest, the_first_part_that_ends_later_is_found_from_anywhere) {
  for (std::size_t near = 0; near < 5; ++near) {
    EXPECT_EQ(kParts.first_after(0, near), 0u);
    EXPECT_EQ(kParts.first_after(10, near), 0u);
    EXPECT_EQ(kParts.first_after(19, near), 0u);
    EXPECT_EQ(kParts.first_after(20, near), 1u);
    EXPECT_EQ(kParts.first_after(30, near), 2u);
    EXPECT_EQ(kParts.first_after(59, near), 2u);
    EXPECT_EQ(kParts.first_after(60, near), 3u);
  }
}

TEST(TimePartsTest, a_gap_contains_nothing) {
  EXPECT_TRUE(kParts.contains(2, 50));
  EXPECT_FALSE(kParts.contains(2, 40));
  EXPECT_FALSE(kParts.contains(3, 70));
}

TEST(TimePartsTest, an_interval_is_cut_at_every_border) {
  std::vector<std::pair<std::size_t, std::int64_t>> pieces;
  kParts.for_each_piece({15, 55}, kParts.first_after(15, 0), [&](std::size_t part, Interval piece) {
    pieces.emplace_back(part, piece.length_ns());
  });
  EXPECT_THAT(pieces, ElementsAre(std::pair(0u, 5), std::pair(1u, 10), std::pair(2u, 5)));
}

TEST(TimePartsTest, a_set_covers_each_part_by_its_own_share) {
  EXPECT_THAT(kParts.covered_ns({{0, 12}, {18, 22}, {40, 100}}), ElementsAre(4, 2, 10));
}

}  // namespace
}  // namespace strobe::compare
