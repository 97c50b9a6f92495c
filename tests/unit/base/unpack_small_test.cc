#include "strobe/base/unpack_small.h"

#include <zlib.h>

#include <string>

#include <gtest/gtest.h>

namespace strobe {
namespace {

std::string packed_by_zlib(const std::string& text) {
  uLongf size = compressBound(text.size());
  std::string packed(size, '\0');
  compress(reinterpret_cast<Bytef*>(packed.data()), &size,
           reinterpret_cast<const Bytef*>(text.data()), text.size());
  packed.resize(size);
  return packed;
}

TEST(UnpackSmall, a_text_comes_back_whole) {
  const std::string text(1 << 20, 'a');
  const SmallText unpacked = unpack_small(packed_by_zlib(text), 2 << 20);
  EXPECT_TRUE(unpacked.is_whole);
  EXPECT_EQ(unpacked.bytes, text);
}

TEST(UnpackSmall, what_grows_too_much_or_is_damaged_is_not_whole) {
  const std::string packed = packed_by_zlib(std::string(1 << 20, 'a'));
  const SmallText cut_off = unpack_small(packed, 1000);
  EXPECT_FALSE(cut_off.is_whole);
  EXPECT_EQ(cut_off.bytes.size(), 1000u);
  EXPECT_FALSE(unpack_small(packed.substr(0, packed.size() / 2), 2 << 20).is_whole);
  EXPECT_FALSE(unpack_small("no zlib", 100).is_whole);
  EXPECT_FALSE(unpack_small("", 100).is_whole);
}

}  // namespace
}  // namespace strobe
