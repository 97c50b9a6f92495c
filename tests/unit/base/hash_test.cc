#include "strobe/base/hash.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

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

std::string hex(std::string_view text) {
  std::string out;
  for (const std::uint8_t byte : sha256(text)) {
    out += "0123456789abcdef"[byte >> 4];
    out += "0123456789abcdef"[byte & 15];
  }
  return out;
}

// The examples of FIPS 180-4 and NIST's further ones.
TEST(Sha256Test, the_standards_examples_come_out) {
  EXPECT_EQ(hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hex(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256Test, the_length_may_leave_any_rest_in_the_last_block) {
  // One and two blocks of padding: 55 bytes still leave room for the length, 56 do not.
  EXPECT_EQ(hex(std::string(55, 'a')),
            "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
  EXPECT_EQ(hex(std::string(56, 'a')),
            "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a");
}

TEST(Sha256Test, base64_is_what_browsers_expect_in_a_policy) {
  EXPECT_EQ(sha256_base64(""), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
  EXPECT_EQ(sha256_base64("abc"), "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
}

TEST(FnvTest, the_published_values_are_met) {
  static_assert(fnv1a("") == 0xCBF29CE484222325u);
  static_assert(fnv1a("a") == 0xAF63DC4C8601EC8Cu);
  static_assert(fnv1a("foobar") == 0x85944171F73967E8u);
}

}  // namespace
}  // namespace strobe
