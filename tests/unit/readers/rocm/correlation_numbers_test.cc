#include "strobe/readers/rocm/correlation_numbers.h"

#include <gtest/gtest.h>

namespace strobe::readers {
namespace {

TEST(CorrelationNumbersTest, the_first_process_keeps_its_numbers_and_others_never_meet_them) {
  CorrelationNumbers numbers;
  EXPECT_EQ(numbers.of(10, 1), 1u);
  EXPECT_EQ(numbers.of(10, 7), 7u);
  const std::uint32_t other = numbers.of(11, 1);
  EXPECT_NE(other, 1u);
  EXPECT_EQ(numbers.of(11, 1), other);
  EXPECT_NE(numbers.of(12, 1), other);
}

TEST(CorrelationNumbersTest, none_stays_none_and_wide_numbers_get_a_place) {
  CorrelationNumbers numbers;
  EXPECT_EQ(numbers.of(10, 0), kNoLaunchId);
  const std::uint32_t wide = numbers.of(10, 1ull << 40);
  EXPECT_NE(wide, kNoLaunchId);
  EXPECT_EQ(numbers.of(10, 1ull << 40), wide);
  EXPECT_EQ(numbers.left_out(), 0u);
}

}  // namespace
}  // namespace strobe::readers
