#include "strobe/base/content_hash.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace strobe {
namespace {

ContentHash hash_of(std::string_view text) {
  ContentHasher hasher;
  hasher.add(text);
  return hasher.hash();
}

TEST(ContentHashTest, it_is_xxh3) {
  // The published answer for no bytes at all.
  EXPECT_EQ(hex_of(hash_of("")), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(checksum_of(std::string_view(), 0), 0x2d06800538d394c2u);
}

TEST(ContentHashTest, pieces_give_the_hash_of_the_whole) {
  std::string text;
  for (int i = 0; i < 1'000; ++i) text += std::to_string(i);
  const std::string_view whole = text;
  for (const std::size_t cut : {0u, 1u, 63u, 64u, 1'000u, 2'890u}) {
    ContentHasher hasher;
    hasher.add(whole.substr(0, cut));
    hasher.add(whole.substr(cut));
    EXPECT_EQ(hasher.hash(), hash_of(whole)) << cut;
    Checksummer checksummer(7);
    checksummer.add(whole.substr(0, cut));
    checksummer.add(whole.substr(cut));
    EXPECT_EQ(checksummer.checksum(), checksum_of(whole, 7)) << cut;
  }
}

TEST(ContentHashTest, a_bit_changes_everything) {
  std::string text(1'000, 'x');
  const ContentHash before = hash_of(text);
  const std::uint64_t checksum = checksum_of(text, 1);
  text[500] ^= 1;
  EXPECT_NE(hash_of(text), before);
  EXPECT_NE(checksum_of(text, 1), checksum);
  text[500] ^= 1;
  EXPECT_NE(checksum_of(text, 2), checksum) << "another seed";
}

}  // namespace
}  // namespace strobe
