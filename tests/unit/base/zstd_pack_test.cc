#include "strobe/base/zstd_pack.h"

#include <gtest/gtest.h>

#include "strobe/base/byte_stream.h"

namespace strobe {
namespace {

std::string unpacked_zstd(std::string_view packed) {
  auto stream = open_stream(packed);
  std::string text(8 << 20, '\0');
  const auto bytes = (*stream)->read(text);
  text.resize(bytes ? *bytes : 0);
  return text;
}

TEST(ZstdPackTest, a_packed_text_unpacks_to_itself) {
  std::string numbers;
  for (int i = 0; i < 30'000; ++i) numbers += std::to_string(i * 7919 % 100'003) + ",";
  for (const std::string& text : {std::string("a"), std::string("{\"a\":[1,2,3]}"), numbers}) {
    const std::string packed = pack_zstd(text);
    EXPECT_EQ(sniff_compression(packed), Compression::kZstd);
    EXPECT_EQ(unpacked_zstd(packed), text);
  }
  EXPECT_LT(pack_zstd(numbers).size(), numbers.size() / 2);
}

TEST(ZstdPackTest, a_changed_byte_is_found_by_the_checksum) {
  const std::string text(1000, 'a');
  std::string packed = pack_zstd(text);
  packed.back() = static_cast<char>(packed.back() ^ 1);
  auto stream = open_stream(packed);
  ASSERT_TRUE(stream);
  std::string read(2000, '\0');
  auto bytes = (*stream)->read(read);
  if (bytes && *bytes > 0) bytes = (*stream)->read(read);
  EXPECT_FALSE(bytes);
}

}  // namespace
}  // namespace strobe
