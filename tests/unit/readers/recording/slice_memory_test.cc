#include "strobe/readers/recording/slice_memory.h"

#include <gtest/gtest.h>

namespace strobe::readers {
namespace {

TEST(SliceMemoryTest, every_column_has_room_and_the_same_length) {
  SliceVectors slices;
  constexpr std::size_t kRows = 3'000'000;  // large pages, where there are any
  reserve_rows(slices, kRows);
  EXPECT_GE(slices.starts_ns.capacity(), kRows);
  EXPECT_GE(slices.kinds.capacity(), kRows);
  EXPECT_EQ(append_rows(slices, 3), 0u);
  EXPECT_EQ(append_rows(slices, 2), 3u);
  EXPECT_TRUE(has_rows(slices, 5));
}

}  // namespace
}  // namespace strobe::readers
