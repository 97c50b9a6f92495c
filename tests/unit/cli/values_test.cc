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

TEST(ValuesTest, amounts_of_memory_have_units) {
  EXPECT_EQ(*byte_count("--memory", "100000000", 0), 100'000'000);
  EXPECT_EQ(*byte_count("--memory", "512M", 0), 512 << 20);
  EXPECT_EQ(*byte_count("--memory", "8g", 0), std::int64_t{8} << 30);
  EXPECT_EQ(*byte_count("--memory", "64KiB", 0), 64 << 10);
  EXPECT_EQ(*byte_count("--memory", "1TB", 0), std::int64_t{1} << 40);
  for (const char* typed : {"", "G", "8X", "-1G", "1.5G", "9000000000T", "8 G"}) {
    EXPECT_EQ(byte_count("--memory", typed, 0).error().what,
              std::string("'") + typed + "' is not an amount of memory");
  }
  EXPECT_EQ(byte_count("--memory", "1M", 64 << 20).error().what,
            "1M is too little; 64M is the least");
}

}  // namespace
}  // namespace strobe::cli
