#include "strobe/query/names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strobe::query {
namespace {

using ::testing::ElementsAre;

TEST(NamesTest, texts_of_all_pools_are_sorted_and_equal_texts_have_one_code) {
  StringPool first;
  const StringId b = first.intern("b");
  const StringId a = first.intern("a");
  StringPool second;
  const StringId other_b = second.intern("b");
  const Names names({&first, &second}, {"c"});
  EXPECT_THAT(names.texts(), ElementsAre("a", "b", "c"));
  EXPECT_EQ(names.name(0, b).code, 1u);
  EXPECT_EQ(names.name(0, a).code, 0u);
  EXPECT_EQ(names.name(1, other_b).code, 1u);
  EXPECT_EQ(names.word("c").code, 2u);
}

TEST(NamesTest, unknown_words_and_invalid_ids_have_no_code) {
  const Names names({}, {"c"});
  EXPECT_EQ(names.word("d").code, Name::kNone);
  EXPECT_EQ(names.name(0, StringId()).code, Name::kNone);
}

// The engine ends a text at a zero byte and refuses texts that are not UTF-8.
TEST(NamesTest, odd_bytes_are_replaced) {
  StringPool pool;
  const StringId zero = pool.intern(std::string_view("a\0b", 3));
  const StringId broken = pool.intern("\xff!");
  const Names names({&pool}, {});
  EXPECT_EQ(names.texts()[names.name(0, zero).code], "a b");
  EXPECT_EQ(names.texts()[names.name(0, broken).code], "?!");
}

}  // namespace
}  // namespace strobe::query
