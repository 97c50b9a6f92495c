#include "strobe/serve/query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strobe::serve {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Query kQuery({{"trace", "a.json"},
                    {"trace", "b.json"},
                    {"columns", "1600"},
                    {"tracks", "4,-5"},
                    {"bad", "1x"},
                    {"list", "1,,2"}});

TEST(QueryTest, a_missing_parameter_is_named) {
  const auto answer = kQuery.text("slice");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(answer.error().where, "slice");
}

TEST(QueryTest, a_parameter_may_stand_several_times) {
  EXPECT_THAT(kQuery.texts("trace"), ElementsAre("a.json", "b.json"));
}

TEST(QueryTest, a_number_outside_its_bounds_is_refused_with_the_bounds) {
  EXPECT_EQ(*kQuery.integer("columns", 1, 8192), 1600);
  const auto answer = kQuery.integer("columns", 1, 1000);
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().what, HasSubstr("from 1 to 1000, not '1600'"));
}

TEST(QueryTest, a_fraction_lies_within_its_bounds_or_is_absent) {
  const Query query({{"half", "0.5"}, {"large", "4.8e12"}, {"none", "0"}, {"odd", "0.5x"}});
  EXPECT_EQ(*query.number("half", 0, 1), 0.5);
  EXPECT_EQ(*query.number("large", 0, 1e15), 4.8e12);
  EXPECT_EQ(*query.number("absent", 0, 1), std::nullopt);
  for (const char* name : {"none", "odd", "large"}) {
    const auto answer = query.number(name, 0, 1);
    ASSERT_FALSE(answer) << name;
    EXPECT_EQ(answer.error().where, name);
    EXPECT_THAT(answer.error().what, HasSubstr("above 0 and up to 1"));
  }
}

TEST(QueryTest, what_is_no_number_is_refused) {
  EXPECT_FALSE(kQuery.integer("bad", 0, 9));
  EXPECT_FALSE(kQuery.integer_or("bad", 3, 0, 9));
  EXPECT_EQ(*kQuery.integer_or("absent", 3, 0, 9), 3);
}

TEST(QueryTest, lists_are_whole_numbers_with_commas) {
  EXPECT_THAT(**kQuery.integers("tracks"), ElementsAre(4, -5));
  EXPECT_FALSE(kQuery.integers("list"));
  EXPECT_EQ(*kQuery.integers("absent"), std::nullopt);
}

}  // namespace
}  // namespace strobe::serve
