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

TEST(ValuesTest, a_fraction_is_a_number_or_a_percentage) {
  EXPECT_DOUBLE_EQ(*fraction("--dram-roof", "0.9"), 0.9);
  EXPECT_DOUBLE_EQ(*fraction("--dram-roof", "93%"), 0.93);
  EXPECT_DOUBLE_EQ(*fraction("--dram-roof", "1"), 1);
  for (const char* typed : {"", "x", "0.9x", "-0.5", "9 of 10", "."}) {
    EXPECT_EQ(fraction("--dram-roof", typed).error().what,
              std::string("'") + typed + "' is no fraction");
  }
  EXPECT_EQ(fraction("--dram-roof", "90").error().what, "90 is not above 0 and at most 1");
  EXPECT_EQ(fraction("--dram-roof", "0").error().hint, "write it as 0.9 or 90%");
}

TEST(ValuesTest, rates_have_prefixes_of_a_thousand) {
  EXPECT_DOUBLE_EQ(*byte_rate("--dram-rate", "4.3TB/s"), 4.3e12);
  EXPECT_DOUBLE_EQ(*byte_rate("--dram-rate", "3350 GB/s"), 3.35e12);
  EXPECT_DOUBLE_EQ(*byte_rate("--dram-rate", "4.3e12"), 4.3e12);
  EXPECT_DOUBLE_EQ(*flop_rate("--peak-flops", "790TFLOP/s"), 7.9e14);
  EXPECT_DOUBLE_EQ(*flop_rate("--peak-flops", "0.79 PFLOPS"), 7.9e14);
  EXPECT_DOUBLE_EQ(*flop_rate("--peak-flops", "790T"), 7.9e14);
  for (const char* typed : {"", "T", "4.3TB", "790TFLOP/s", "-1TB/s", "0", "1e999"}) {
    EXPECT_EQ(byte_rate("--dram-rate", typed).error().what,
              std::string("'") + typed + "' is no rate");
  }
  EXPECT_EQ(flop_rate("--peak-flops", "4.3TB/s").error().hint, "write it as 790TFLOP/s");
}

}  // namespace
}  // namespace strobe::cli
