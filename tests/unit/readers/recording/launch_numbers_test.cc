#include "strobe/readers/recording/launch_numbers.h"

#include <gtest/gtest.h>

namespace strobe::readers {
namespace {

TEST(LaunchNumbersTest, one_segment_keeps_its_numbers) {
  LaunchNumbers numbers(1);
  numbers.note_call(0, 5);
  numbers.number_segments();
  EXPECT_EQ(numbers.of(0, 5), 5u);
  EXPECT_EQ(numbers.of(0, 99), 99u);
  EXPECT_EQ(numbers.of(0, 0), kNoLaunchId);
  EXPECT_EQ(numbers.too_wide(), 0u);
}

TEST(LaunchNumbersTest, parts_of_one_recording_count_on) {
  LaunchNumbers numbers(3);
  for (std::uint64_t id = 1; id < 1000; ++id) numbers.note_call(0, id);
  for (std::uint64_t id = 995; id < 2000; ++id) numbers.note_call(1, id);  // a little out of order
  numbers.number_segments();
  EXPECT_EQ(numbers.of(0, 990), numbers.of(1, 990)) << "its work may come in the next part";
  EXPECT_EQ(numbers.of(2, 1999), 1999u) << "a part without calls belongs to those before";
}

TEST(LaunchNumbersTest, windows_that_start_again_share_no_numbers) {
  LaunchNumbers numbers(3);
  for (std::uint64_t id = 1; id <= 100; ++id) numbers.note_call(0, id);
  for (std::uint64_t id = 2; id <= 50; ++id) numbers.note_call(1, id);
  for (std::uint64_t id = 1; id <= 300; ++id) numbers.note_call(2, id);
  numbers.number_segments();
  EXPECT_EQ(numbers.of(0, 7), 7u);
  EXPECT_EQ(numbers.of(1, 7), 107u);
  EXPECT_EQ(numbers.of(2, 7), 157u);
}

TEST(LaunchNumbersTest, work_without_its_call_gets_no_other_windows_call) {
  LaunchNumbers numbers(2);
  for (std::uint64_t id = 1; id <= 100; ++id) numbers.note_call(0, id);
  for (std::uint64_t id = 1; id <= 100; ++id) numbers.note_call(1, id);
  numbers.number_segments();
  EXPECT_EQ(numbers.of(0, 101), kNoLaunchId);
  EXPECT_EQ(numbers.of(0, 100), 100u);
}

TEST(LaunchNumbersTest, what_has_no_room_is_counted) {
  LaunchNumbers numbers(2);
  numbers.note_call(0, kNoLaunchId - 1);
  numbers.note_call(1, 3);
  numbers.number_segments();
  EXPECT_EQ(numbers.of(0, kNoLaunchId - 1), kNoLaunchId - 1);
  EXPECT_EQ(numbers.of(1, 3), kNoLaunchId);
  EXPECT_EQ(numbers.too_wide(), 1u);
  LaunchNumbers wide(1);
  wide.number_segments();
  EXPECT_EQ(wide.of(0, ~0ull), kNoLaunchId);
  EXPECT_EQ(wide.of(0, kNoLaunchId), kNoLaunchId);
  EXPECT_EQ(wide.too_wide(), 2u);
}

}  // namespace
}  // namespace strobe::readers
