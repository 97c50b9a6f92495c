#include "strobe/wire/chunk_checksum.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace strobe::wire {
namespace {

TEST(ChunkChecksumTest, it_sees_every_bit_of_header_and_payload_but_not_itself) {
  ChunkHeader header = {};
  header.rows = 3;
  header.payload_bytes = 5;
  std::vector<std::uint8_t> payload = {1, 2, 3, 4, 5};
  const std::uint64_t sum = chunk_checksum(header, payload);
  header.checksum = 4711;
  EXPECT_EQ(chunk_checksum(header, payload), sum);
  for (std::size_t bit = 0; bit < 8 * offsetof(ChunkHeader, checksum); ++bit) {
    ChunkHeader other = header;
    auto* bytes = reinterpret_cast<std::uint8_t*>(&other);
    bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ (1u << bit % 8));
    EXPECT_NE(chunk_checksum(other, payload), sum) << bit;
  }
  for (std::size_t bit = 0; bit < 8 * payload.size(); ++bit) {
    std::vector<std::uint8_t> other = payload;
    other[bit / 8] = static_cast<std::uint8_t>(other[bit / 8] ^ (1u << bit % 8));
    EXPECT_NE(chunk_checksum(header, other), sum) << bit;
  }
}

}  // namespace
}  // namespace strobe::wire
