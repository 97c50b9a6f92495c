#include "strobe/base/row_index.h"

#include <gtest/gtest.h>

namespace strobe {
namespace {

TEST(RowIndexTest, names_get_rows_in_the_order_they_are_asked_for) {
  StringPool strings;
  const StringId a = strings.intern("a");
  const StringId b = strings.intern("b");
  NameRows rows(strings);
  EXPECT_EQ(rows.row_of(b), 0u);
  EXPECT_EQ(rows.row_of(a), 1u);
  EXPECT_EQ(rows.row_of(b), 0u);
  EXPECT_EQ(rows.name(1), a);
  rows.clear();
  EXPECT_EQ(rows.row_of(a), 0u);
}

TEST(RowIndexTest, pairs_keep_their_rows_while_the_table_grows) {
  PairRows rows;
  for (std::uint32_t i = 0; i < 1000; ++i) EXPECT_EQ(rows.row_of(i % 10, i), i);
  for (std::uint32_t i = 0; i < 1000; ++i) EXPECT_EQ(rows.row_of(i % 10, i), i);
  EXPECT_EQ(rows.size(), 1000u);
  rows.clear();
  EXPECT_EQ(rows.row_of(5, 5), 0u);
}

TEST(RowIndexTest, a_name_is_asked_about_once) {
  StringPool strings;
  const StringId a = strings.intern("a");
  const StringId b = strings.intern("b");
  int asked = 0;
  OncePerName is_a(strings, [&](std::string_view name) {
    ++asked;
    return name == "a";
  });
  EXPECT_TRUE(is_a(a));
  EXPECT_TRUE(is_a(a));
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(is_a.known(a), true);
  EXPECT_EQ(is_a.known(b), std::nullopt);
}

}  // namespace

}  // namespace strobe
