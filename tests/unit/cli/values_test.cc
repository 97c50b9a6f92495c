#include "strobe/cli/values.h"

#include <gtest/gtest.h>

namespace strobe::cli {
namespace {

TEST(ValuesTest, a_number_is_whole_and_within_its_bounds) {
  EXPECT_EQ(*whole_number("--top", "12", 0), 12);
  EXPECT_EQ(whole_number("--top", "12x", 0).error().what, "'12x' is not a whole number");
  EXPECT_EQ(whole_number("--top", "1.5", 0).error().what, "'1.5' is not a whole number");
  EXPECT_EQ(whole_number("--top", "-1", 0).error().what, "-1 is less than 0");
  EXPECT_EQ(whole_number("--threads", "2000", 1, 1024).error().what, "2000 is more than 1024");
  EXPECT_EQ(whole_number("--top", "-1", 0).error().where, "--top");
}

}  // namespace
}  // namespace strobe::cli
