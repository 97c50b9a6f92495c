#include "strobe/base/gzip_pack.h"

#include <gtest/gtest.h>

#include "strobe/base/byte_stream.h"

namespace strobe {
namespace {

std::string unpacked(std::string_view packed) {
  auto stream = open_stream(packed);
  std::string text(8 << 20, '\0');
  const auto bytes = (*stream)->read(text);
  text.resize(bytes ? *bytes : 0);
  return text;
}

TEST(GzipPackTest, a_packed_text_unpacks_to_itself) {
  std::string numbers;
  for (int i = 0; i < 300'000; ++i) numbers += std::to_string(i * 7919 % 100'003) + ",";
  for (const std::string& text : {std::string("a"), std::string("{\"a\":[1,2,3]}"), numbers}) {
    const std::string packed = pack_gzip(text);
    EXPECT_EQ(sniff_compression(packed), Compression::kGzip);
    EXPECT_EQ(unpacked(packed), text);
  }
  EXPECT_LT(pack_gzip(numbers).size(), numbers.size() * 2 / 3);
}

TEST(GzipPackTest, nothing_packs_to_a_member_that_holds_nothing) {
  EXPECT_EQ(sniff_compression(pack_gzip("")), Compression::kGzip);
  EXPECT_EQ(unpacked(pack_gzip("")), "");
}

}  // namespace
}  // namespace strobe
