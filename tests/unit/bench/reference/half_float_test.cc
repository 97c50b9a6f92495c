#include "strobe/bench/reference/half_float.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace strobe::bench {
namespace {

TEST(HalfFloat, known_f16_values_have_their_bits) {
  EXPECT_EQ(f16_bits(1.0f), 0x3C00);
  EXPECT_EQ(f16_bits(-2.0f), 0xC000);
  EXPECT_EQ(f16_bits(65504.0f), 0x7BFF);  // the largest
  EXPECT_EQ(f16_bits(0x1p-14f), 0x0400);  // the smallest that is normal
  EXPECT_EQ(f16_bits(0x1p-24f), 0x0001);  // the smallest
  EXPECT_EQ(f16_bits(-0.0f), 0x8000);
}

TEST(HalfFloat, a_tie_goes_to_the_even_neighbour) {
  EXPECT_EQ(f16_bits(1.0f + 0x1p-11f), 0x3C00);      // between 0x3C00 and 0x3C01
  EXPECT_EQ(f16_bits(1.0f + 3 * 0x1p-11f), 0x3C02);  // between 0x3C01 and 0x3C02
  EXPECT_EQ(f16_bits(0x1p-25f), 0x0000);             // between 0 and the smallest
  EXPECT_EQ(f16_bits(std::nextafter(0x1p-25f, 1.0f)), 0x0001);
  EXPECT_EQ(f16_bits(3 * 0x1p-25f), 0x0002);
  EXPECT_EQ(bf16_bits(1.0f + 0x1p-8f), 0x3F80);
  EXPECT_EQ(bf16_bits(1.0f + 3 * 0x1p-8f), 0x3F82);
}

TEST(HalfFloat, what_is_too_large_is_infinite_and_a_nan_stays_one) {
  EXPECT_EQ(f16_bits(65519.0f), 0x7BFF);
  EXPECT_EQ(f16_bits(65520.0f), 0x7C00);
  EXPECT_EQ(f16_bits(-std::numeric_limits<float>::infinity()), 0xFC00);
  EXPECT_TRUE(std::isnan(f16_value(f16_bits(std::nanf("")))));
  EXPECT_EQ(bf16_bits(std::numeric_limits<float>::max()), 0x7F80);
  EXPECT_TRUE(std::isnan(bf16_value(bf16_bits(std::nanf("")))));
}

TEST(HalfFloat, every_value_reads_back_as_itself) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    if (!std::isnan(f16_value(half))) {
      EXPECT_EQ(f16_bits(f16_value(half)), half);
    }
    if (!std::isnan(bf16_value(half))) {
      EXPECT_EQ(bf16_bits(bf16_value(half)), half);
    }
  }
}

// Between two neighbours the nearer one is taken, whatever the exponent.
TEST(HalfFloat, rounding_goes_to_the_nearer_neighbour) {
  for (std::uint32_t bits = 0; bits < 0x7BFF; bits += 7) {
    const float low = f16_value(static_cast<std::uint16_t>(bits));
    const float high = f16_value(static_cast<std::uint16_t>(bits + 1));
    EXPECT_EQ(f16_bits(low + (high - low) * 0.375f), bits);
    EXPECT_EQ(f16_bits(low + (high - low) * 0.625f), bits + 1);
  }
}

TEST(HalfFloat, a_type_keeps_its_own_digits) {
  const float third = 1.0f / 3;
  EXPECT_EQ(rounded_to(DType::kF32, third), third);
  EXPECT_NEAR(rounded_to(DType::kF16, third), third, 0x1p-13);
  EXPECT_NEAR(rounded_to(DType::kBf16, third), third, 0x1p-10);
  EXPECT_NE(rounded_to(DType::kF16, third), third);
}

}  // namespace
}  // namespace strobe::bench
