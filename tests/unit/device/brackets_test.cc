#include "strobe/device/brackets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strobe::device {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(BracketsTest, arguments_are_split_at_outer_commas) {
  EXPECT_THAT(split_arguments("4, at::Functor<float, int>, f(a, b)::{lambda(int, int)#1}"),
              ElementsAre("4", "at::Functor<float, int>", "f(a, b)::{lambda(int, int)#1}"));
  EXPECT_THAT(split_arguments("std::array<char*, 2ul> "), ElementsAre("std::array<char*, 2ul>"));
  EXPECT_THAT(split_arguments("a,,b"), ElementsAre("a", "", "b"));
  EXPECT_THAT(split_arguments("  "), IsEmpty());
}

TEST(BracketsTest, signs_are_no_brackets) {
  EXPECT_THAT(split_arguments("&a::operator<, b"), ElementsAre("&a::operator<", "b"));
  EXPECT_THAT(split_arguments("&a::operator>>, b"), ElementsAre("&a::operator>>", "b"));
  EXPECT_THAT(split_arguments("decltype(a->b)<int, long>, c"),
              ElementsAre("decltype(a->b)<int, long>", "c"));
  EXPECT_THAT(split_arguments("T<(4 < 5), 1>, c"), ElementsAre("T<(4 < 5), 1>", "c"));
}

TEST(BracketsTest, brackets_that_do_not_match_are_forgiven) {
  EXPECT_THAT(split_arguments("a), b>, c]"), ElementsAre("a)", "b>", "c]"));
  EXPECT_THAT(split_arguments("a<b, c"), ElementsAre("a<b, c"));
  EXPECT_THAT(split_arguments("[(a], b"), ElementsAre("[(a]", "b"));
}

TEST(BracketsTest, the_closing_one_is_found) {
  EXPECT_EQ(after_bracket("f<a<b>(c)>(d)", 1), 10U);
  EXPECT_EQ(after_bracket("f<a<b>(c)>(d)", 10), 13U);
  EXPECT_EQ(after_bracket("f<a", 1), std::string_view::npos);
}

}  // namespace
}  // namespace strobe::device
