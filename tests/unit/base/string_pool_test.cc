#include "strobe/base/string_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
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

StringPool pool_of_many() {
  StringPool pool;
  for (int i = 0; i < 3'000; ++i) pool.intern("kernel_" + std::to_string(i));
  return pool;
}

std::optional<StringPool> restored(const StringPool& pool) {
  return StringPool::restore({pool.texts().begin(), pool.texts().end()},
                             {pool.slots().begin(), pool.slots().end()});
}

TEST(StringPoolTest, a_restored_pool_finds_its_texts_and_goes_on) {
  const StringPool before = pool_of_many();
  std::optional<StringPool> pool = restored(before);
  ASSERT_TRUE(pool.has_value());
  EXPECT_EQ(pool->size(), before.size());
  EXPECT_EQ((*pool)[StringId(17)], "kernel_17");
  EXPECT_EQ(pool->find("kernel_2999"), StringId(2'999));
  EXPECT_EQ(pool->find("kernel_3000"), StringId());
  EXPECT_EQ(pool->intern("kernel_0"), StringId(0));
  EXPECT_EQ(pool->intern("new"), StringId(3'000));
}

TEST(StringPoolTest, slots_of_another_pool_are_not_taken) {
  const StringPool pool = pool_of_many();
  const std::vector<std::string_view> texts(pool.texts().begin(), pool.texts().end());
  std::vector<StringPool::Slot> slots(pool.slots().begin(), pool.slots().end());
  const auto used = std::find_if(slots.begin(), slots.end(), [](const StringPool::Slot& slot) {
    return slot.id != StringId::kNone;
  });
  const std::uint32_t id = used->id;
  used->id = 3'000;
  EXPECT_FALSE(StringPool::restore(texts, slots)) << "a text that is not there";
  used->id = StringId::kNone;
  EXPECT_FALSE(StringPool::restore(texts, slots)) << "a text without its slot";
  used->id = id;
  EXPECT_TRUE(StringPool::restore(texts, slots));
  slots.pop_back();
  EXPECT_FALSE(StringPool::restore(texts, slots)) << "no power of two";
  EXPECT_FALSE(StringPool::restore(texts, {})) << "no slots at all";
  slots.assign(2'048, {0, 0});
  EXPECT_FALSE(StringPool::restore(texts, slots)) << "too full to search";
}

}  // namespace
}  // namespace strobe
