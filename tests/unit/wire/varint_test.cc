#include "strobe/wire/varint.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

namespace strobe::wire {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

std::vector<std::uint8_t> bytes_of_number(std::uint64_t value) {
  std::uint8_t room[kMostVarintBytes];
  return {room, put_varint(room, value)};
}

TEST(VarintTest, every_length_reads_back) {
  for (int bits = 0; bits < 64; ++bits) {
    for (const std::uint64_t value : {std::uint64_t{1} << bits, (std::uint64_t{1} << bits) - 1}) {
      const std::vector<std::uint8_t> bytes = bytes_of_number(value);
      std::uint64_t read = 0;
      EXPECT_EQ(get_varint(bytes.data(), bytes.data() + bytes.size(), read),
                bytes.data() + bytes.size());
      EXPECT_EQ(read, value);
    }
  }
  EXPECT_EQ(bytes_of_number(kMost).size(), static_cast<std::size_t>(kMostVarintBytes));
  EXPECT_EQ(bytes_of_number(300), (std::vector<std::uint8_t>{0xac, 0x02}));
}

TEST(VarintTest, a_number_that_does_not_end_or_is_too_long_is_none) {
  std::vector<std::uint8_t> bytes = bytes_of_number(kMost);
  std::uint64_t read = 0;
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(get_varint(bytes.data(), bytes.data() + size, read), nullptr) << size;
  }
  bytes.back() = 2;  // the 65th bit
  EXPECT_EQ(get_varint(bytes.data(), bytes.data() + bytes.size(), read), nullptr);
  bytes.back() = 0x81;
  bytes.push_back(0);
  EXPECT_EQ(get_varint(bytes.data(), bytes.data() + bytes.size(), read), nullptr);
}

TEST(VarintTest, small_numbers_of_both_signs_are_small) {
  EXPECT_EQ(zigzag(0), 0u);
  EXPECT_EQ(zigzag(-1), 1u);
  EXPECT_EQ(zigzag(1), 2u);
  for (const std::int64_t value :
       {std::int64_t{0}, std::int64_t{-77}, std::numeric_limits<std::int64_t>::max(),
        std::numeric_limits<std::int64_t>::min()}) {
    EXPECT_EQ(unzigzag(zigzag(value)), value);
  }
}

}  // namespace
}  // namespace strobe::wire
