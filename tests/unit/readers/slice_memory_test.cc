#include "strobe/readers/slice_memory.h"

#include <gtest/gtest.h>

namespace strobe::readers {
namespace {

TEST(SliceMemoryTest, every_column_has_room_and_the_same_length) {
  SliceVectors slices;
  constexpr std::size_t kRows = 3'000'000;  // large pages, where there are any
  reserve_rows(slices, kRows);
  EXPECT_GE(slices.starts_ns.capacity(), kRows);
  EXPECT_GE(slices.kinds.capacity(), kRows);
  append_rows(slices, 3).starts_ns[2] = 17;
  append_rows(slices, 2).args[1] = ArgsId(std::size_t{5});
  EXPECT_TRUE(has_rows(slices, 5));
  EXPECT_EQ(slices.starts_ns[2], 17);
  EXPECT_EQ(slices.args[4], ArgsId(std::size_t{5}));
}

}  // namespace
}  // namespace strobe::readers
