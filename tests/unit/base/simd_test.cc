#include "strobe/base/simd.h"

#include <string>

#include <gtest/gtest.h>

namespace strobe::simd {
namespace {

TEST(Simd, a_bit_for_every_byte_that_matches) {
  for (std::size_t at = 0; at < 64; ++at) {
    std::string text(64, 'x');
    text[at] = ',';
    EXPECT_EQ(matches(load_block(text.data()), ','), std::uint64_t{1} << at) << at;
    EXPECT_EQ(matches(load_block(text.data()), ';'), 0u) << at;
  }
  const std::string commas(64, ',');
  EXPECT_EQ(matches(load_block(commas.data()), ','), ~std::uint64_t{0});
}

TEST(Simd, bytes_above_127_match_themselves_only) {
  std::string text(64, '\xFF');
  text[17] = '\x7F';
  EXPECT_EQ(matches(load_block(text.data()), '\x7F'), std::uint64_t{1} << 17);
  EXPECT_EQ(matches(load_block(text.data()), '\xFF'), ~(std::uint64_t{1} << 17));
}

TEST(Simd, the_prefix_of_quotes_is_what_lies_between_them) {
  //  a"bc"d"    quotes at 1, 4 and 6: inside from each odd one up to the next
  EXPECT_EQ(prefix_xor(0b1010010), ~std::uint64_t{0} << 6 | 0b1110);
  EXPECT_EQ(prefix_xor(0), 0u);
  for (int at = 0; at < 64; ++at) {
    EXPECT_EQ(prefix_xor(std::uint64_t{1} << at), ~std::uint64_t{0} << at);
  }
}

}  // namespace
}  // namespace strobe::simd
