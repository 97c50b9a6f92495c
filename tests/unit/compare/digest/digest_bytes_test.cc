#include "strobe/compare/digest/digest_bytes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace strobe::compare {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsNan;

using DigestColumn = std::vector<std::int64_t>;

DigestColumn noisy_times(double middle_ns, double deviation_ns) {
  std::mt19937_64 random(17);
  std::normal_distribution<double> noise(middle_ns, deviation_ns);
  DigestColumn times;
  for (int i = 0; i < 400; ++i) times.push_back(std::llround(std::max(0.0, noise(random))));
  return times;
}

TEST(DigestBytesTest, numbers_and_texts_come_back_in_their_order) {
  DigestWriter writer;
  writer.number(300);
  writer.signed_number(-5);
  writer.text("gemm");
  writer.text("");
  writer.text("gemm");
  writer.real(0.1);
  DigestReader reader(writer.bytes());
  EXPECT_EQ(reader.number(), 300u);
  EXPECT_EQ(reader.signed_number(), -5);
  EXPECT_EQ(reader.text(), "gemm");
  EXPECT_EQ(reader.text(), "");
  EXPECT_EQ(reader.text(), "gemm");
  EXPECT_EQ(reader.real(), 0.1);
  EXPECT_TRUE(reader.is_at_end());
  EXPECT_FALSE(reader.is_damaged());
}

TEST(DigestBytesTest, counts_are_exact) {
  const DigestColumn counts = {0, 3, 1'000'000'007, 3, 3, 0};
  DigestWriter writer;
  EXPECT_EQ(writer.counts(counts), counts);
  DigestReader reader(writer.bytes());
  EXPECT_EQ(reader.counts(counts.size()), counts);
}

// A 64th of their deviation of 674 ns (half of them are closer to the median) is 10 ns.
TEST(DigestBytesTest, times_are_rounded_by_much_less_than_they_vary) {
  const DigestColumn times = noisy_times(1e6, 1000);
  DigestWriter writer;
  const DigestColumn kept = writer.times(times);
  for (std::size_t i = 0; i < times.size(); ++i) EXPECT_LE(std::abs(kept[i] - times[i]), 6);
  DigestReader reader(writer.bytes());
  EXPECT_EQ(reader.times(times.size()), kept);
  EXPECT_LT(writer.bytes().size(), times.size() * 2);
}

TEST(DigestBytesTest, times_that_vary_widely_keep_three_digits) {
  const DigestColumn times = noisy_times(1e6, 500'000);
  DigestWriter writer;
  const DigestColumn kept = writer.times(times);
  for (std::size_t i = 0; i < times.size(); ++i) EXPECT_LE(std::abs(kept[i] - times[i]), 150);
}

TEST(DigestBytesTest, a_time_that_is_not_0_does_not_become_0) {
  const DigestColumn times = {0, 1, 1'000'000, 2'000'000, 3'000'000, 4'000'000};
  DigestWriter writer;
  const DigestColumn kept = writer.times(times);
  EXPECT_EQ(kept[0], 0);
  EXPECT_GT(kept[1], 0);
}

TEST(DigestBytesTest, whole_microseconds_stay_exact) {
  DigestColumn times = noisy_times(1e6, 30'000);
  for (std::int64_t& time : times) time = time / 1000 * 1000;
  DigestWriter writer;
  EXPECT_EQ(writer.times(times), times);
}

TEST(DigestBytesTest, steady_times_are_exact) {
  DigestWriter writer;
  EXPECT_THAT(writer.times(DigestColumn{12'345'678, 12'345'678, 12'345'678}), Each(12'345'678));
}

TEST(DigestBytesTest, a_similar_column_costs_a_byte_per_cycle) {
  const DigestColumn times = noisy_times(1e9, 1e8);
  DigestWriter alone;
  const DigestColumn kept = alone.times(times);
  const std::size_t before = alone.bytes().size();
  EXPECT_EQ(alone.times(times, kept), kept);
  EXPECT_LT(alone.bytes().size() - before, times.size() + 16);
  DigestReader reader(alone.bytes());
  const DigestColumn first = reader.times(times.size());
  EXPECT_EQ(reader.times(times.size(), first), kept);
}

TEST(DigestBytesTest, means_keep_their_digits_and_their_gaps) {
  const std::vector<double> means = {1980.25, std::nan(""), 1975.5, -3, 0, 1e300};
  DigestWriter writer;
  const auto kept = writer.means(means);
  EXPECT_NEAR(kept[0], 1980.25, 1);
  EXPECT_THAT(kept[1], IsNan());
  EXPECT_NEAR(kept[2], 1975.5, 1);
  EXPECT_NEAR(kept[3], -3, 1);
  EXPECT_EQ(kept[4], 0);
  EXPECT_THAT(kept[5], IsNan()) << "no mean is that large";
  DigestReader reader(writer.bytes());
  const auto read = reader.means(means.size());
  ASSERT_EQ(read.size(), kept.size());
  for (const std::size_t i : {0u, 2u, 3u, 4u}) EXPECT_EQ(read[i], kept[i]);
  EXPECT_THAT(read[1], IsNan());
  EXPECT_FALSE(reader.is_damaged());
}

TEST(DigestBytesTest, bits_stay_bits) {
  DigestWriter writer;
  writer.exact_means(std::vector<double>{4, 0x80, 0, 5});
  DigestReader reader(writer.bytes());
  EXPECT_THAT(reader.exact_means(4), ElementsAre(4, 0x80, 0, 5));
}

TEST(DigestBytesTest, after_damage_everything_is_empty) {
  DigestReader reader(std::string_view("\x05"));
  EXPECT_EQ(reader.length(), 0u) << "five entries cannot be in no bytes";
  EXPECT_TRUE(reader.is_damaged());
  EXPECT_EQ(reader.number(), 0u);
  EXPECT_THAT(reader.text(), IsEmpty());
  EXPECT_THAT(reader.counts(2), ElementsAre(0, 0));
}

TEST(DigestBytesTest, a_negative_time_is_damage) {
  DigestWriter writer;
  writer.counts(DigestColumn{1, -7, 1});
  DigestReader reader(writer.bytes());
  reader.counts(3);
  EXPECT_TRUE(reader.is_damaged());
}

}  // namespace
}  // namespace strobe::compare
