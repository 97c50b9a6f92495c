#include "strobe/base/string_pool.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace strobe {
namespace {

TEST(StringPoolTest, equal_text_has_one_id_and_ids_count_up_in_order_of_appearance) {
  StringPool pool;
  EXPECT_EQ(pool.intern("gemm").index(), 0u);
  EXPECT_EQ(pool.intern("relu").index(), 1u);
  EXPECT_EQ(pool.intern(std::string("ge") + "mm").index(), 0u);
  EXPECT_EQ(pool.size(), 2u);
}

TEST(StringPoolTest, find_adds_nothing) {
  StringPool pool;
  pool.intern("gemm");
  EXPECT_FALSE(pool.find("relu").valid());
  EXPECT_EQ(pool.find("gemm").index(), 0u);
  EXPECT_EQ(pool.size(), 1u);
}

TEST(StringPoolTest, the_empty_text_is_a_text) {
  StringPool pool;
  EXPECT_FALSE(pool.find("").valid());
  const StringId empty = pool.intern("");
  EXPECT_TRUE(empty.valid());
  EXPECT_EQ(pool[empty], "");
  EXPECT_EQ(pool.find(""), empty);
}

TEST(StringPoolTest, texts_that_differ_in_one_byte_anywhere_differ) {
  for (std::size_t length = 1; length < 40; ++length) {
    StringPool pool;
    const std::string text(length, 'a');
    pool.intern(text);
    for (std::size_t at = 0; at < length; ++at) {
      std::string other = text;
      other[at] = 'b';
      EXPECT_FALSE(pool.find(other).valid()) << length << " bytes, byte " << at;
    }
    EXPECT_FALSE(pool.find(text + 'a').valid());
  }
}

TEST(StringPoolTest, a_zero_byte_is_an_ordinary_byte) {
  using namespace std::string_view_literals;
  StringPool pool;
  const StringId with_zero = pool.intern("a\0b"sv);
  EXPECT_NE(pool.intern("a"), with_zero);
  EXPECT_NE(pool.intern("a\0"sv), with_zero);
  EXPECT_EQ(pool[with_zero], "a\0b"sv);
}

TEST(StringPoolTest, no_text_moves_while_the_pool_grows) {
  StringPool pool;
  const std::string_view first = pool[pool.intern("the first")];
  std::vector<std::string> texts;
  for (int i = 0; i < 20'000; ++i) texts.push_back("kernel_" + std::to_string(i));
  for (const std::string& text : texts) pool.intern(text);
  EXPECT_EQ(pool[StringId(0)].data(), first.data());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    ASSERT_EQ(pool.find(texts[i]).index(), i + 1);
    ASSERT_EQ(pool[StringId(i + 1)], texts[i]);
  }
}

TEST(StringPoolTest, a_text_longer_than_a_block_is_kept_whole) {
  StringPool pool;
  pool.intern("short");
  const std::string huge(1'000'000, 'x');
  const StringId id = pool.intern(huge);
  pool.intern("after");
  EXPECT_EQ(pool[id], huge);
  EXPECT_EQ(pool[pool.find("after")], "after");
  EXPECT_GE(pool.bytes(), huge.size());
}

TEST(StringPoolTest, a_moved_pool_keeps_its_texts) {
  StringPool pool;
  const StringId id = pool.intern("gemm");
  const StringPool moved = std::move(pool);
  EXPECT_EQ(moved[id], "gemm");
  EXPECT_EQ(moved.find("gemm"), id);
}

}  // namespace
}  // namespace strobe
