#include "strobe/readers/counters/launch_columns.h"

#include <gtest/gtest.h>

namespace strobe::readers {
namespace {

TEST(LaunchColumns, columns_are_known_by_name) {
  const LaunchColumns columns = LaunchColumns::of({"Kernel Name", "Grid Size", "ID"});
  EXPECT_EQ(columns.name, 0u);
  EXPECT_EQ(columns.grid, 1u);
  EXPECT_EQ(columns.id, 2u);
  EXPECT_EQ(columns.stream, kNoColumn);
}

TEST(LaunchColumns, launch_sizes_are_read_in_every_spelling) {
  EXPECT_EQ(parse_shape("(512, 1, 1)"), (LaunchShape{512, 1, 1}));
  EXPECT_EQ(parse_shape("(1,2,3)"), (LaunchShape{1, 2, 3}));
  EXPECT_EQ(parse_shape("[4, 5]"), (LaunchShape{4, 5, 1}));
  EXPECT_EQ(parse_shape("8x4x2"), (LaunchShape{8, 4, 2}));
  EXPECT_EQ(parse_shape("64"), (LaunchShape{64, 1, 1}));
  for (const char* text :
       {"", "()", "(0, 1, 1)", "(1, 2, 3, 4)", "(a, b, c)", "(99999999999, 1)"}) {
    EXPECT_EQ(parse_shape(text), std::nullopt) << text;
  }
}

TEST(LaunchColumns, numbers_are_seen_once_dense_or_sparse) {
  SeenNumbers seen;
  for (const std::uint32_t number : {0u, 1u, 4'000'000'000u, 70'000u, 65'535u, 200'000u}) {
    EXPECT_TRUE(seen.insert(number)) << number;
  }
  for (std::uint32_t number = 2; number < 60'000; ++number) ASSERT_TRUE(seen.insert(number));
  for (const std::uint32_t number : {0u, 4'000'000'000u, 70'000u, 200'000u, 59'999u}) {
    EXPECT_FALSE(seen.insert(number)) << number;
  }
}

}  // namespace
}  // namespace strobe::readers
