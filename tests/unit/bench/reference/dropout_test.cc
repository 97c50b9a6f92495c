#include "strobe/bench/reference/dropout.h"

#include <string>

#include <gtest/gtest.h>

namespace strobe::bench {
namespace {

constexpr std::int64_t kMany = 1'000'000;

// The published values of the finalizer; 0 is its fixed point.
TEST(Dropout, a_draw_is_the_finisher_of_murmur_hash) {
  EXPECT_EQ(dropout_draw(0), 0u);
  EXPECT_EQ(dropout_draw(1), 0x514E28B7u);
  EXPECT_EQ(dropout_draw(0xFFFFFFFFu), 0x81F16F39u);
}

TEST(Dropout, the_key_is_half_of_a_word_of_inputs) {
  EXPECT_EQ(dropout_key(1), input_bits(1, 0xFE, 0) >> 32);
  EXPECT_NE(dropout_key(1), dropout_key(2));
  EXPECT_NE(dropout_key(1), dropout_key(1 + (1ull << 32)));
}

// As in the manual, for authors of a worker.
TEST(Dropout, the_first_elements_of_seed_1_are_known) {
  EXPECT_EQ(dropout_key(1), 0x078469E5u);
  std::string kept;
  for (std::int64_t i = 0; i < 10; ++i) kept += is_dropped(dropout_key(1), i, 0.5) ? '0' : '1';
  EXPECT_EQ(kept, "1000110011");
}

TEST(Dropout, p_is_the_share_that_is_dropped) {
  EXPECT_EQ(dropped_below(0.5), 0x80000000u);
  EXPECT_EQ(dropped_below(0.25), 0x40000000u);
  EXPECT_EQ(kept_scale(0.5), 2.0);
  for (const double p : {0.5, 0.1}) {
    std::int64_t dropped = 0;
    for (std::int64_t i = 0; i < kMany; ++i) dropped += is_dropped(dropout_key(7), i, p) ? 1 : 0;
    // Five deviations of a share of a million: 5 sqrt(0.25 / 1e6).
    EXPECT_NEAR(static_cast<double>(dropped) / kMany, p, 0.0025);
  }
}

TEST(Dropout, neighbours_rows_and_seeds_know_nothing_of_each_other) {
  const std::uint32_t key = dropout_key(7), other = dropout_key(8);
  for (const std::int64_t away : {1, 2, 4, 128, 1024, 65536}) {
    std::int64_t same = 0;
    for (std::int64_t i = 0; i < kMany; ++i)
      same += is_dropped(key, i, 0.5) == is_dropped(key, i + away, 0.5) ? 1 : 0;
    EXPECT_NEAR(static_cast<double>(same) / kMany, 0.5, 0.0025) << away;
  }
  std::int64_t same = 0;
  for (std::int64_t i = 0; i < kMany; ++i)
    same += is_dropped(key, i, 0.5) == is_dropped(other, i, 0.5) ? 1 : 0;
  EXPECT_NEAR(static_cast<double>(same) / kMany, 0.5, 0.0025);
}

TEST(Dropout, of_an_index_the_low_32_bits_count) {
  for (std::int64_t i = 0; i < 100; ++i) {
    EXPECT_EQ(is_dropped(5, i, 0.5), is_dropped(5, i + (std::int64_t{1} << 32), 0.5));
  }
}

}  // namespace
}  // namespace strobe::bench
