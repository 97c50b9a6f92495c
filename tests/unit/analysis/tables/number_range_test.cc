#include "strobe/analysis/tables/number_range.h"

#include <gtest/gtest.h>

namespace strobe::analysis {
namespace {

constexpr std::int64_t kOpen = std::numeric_limits<std::int64_t>::max();

NumberRange range_of(std::string_view typed) {
  const Result<NumberRange> result = number_range("--steps", typed);
  EXPECT_TRUE(result.has_value()) << typed;
  return result ? *result : NumberRange{-1, -1};
}

Error refused_range(std::string_view typed) {
  const Result<NumberRange> result = number_range("--steps", typed);
  EXPECT_FALSE(result.has_value()) << typed;
  return result ? Error{} : result.error();
}

TEST(NumberRangeTest, a_range_has_four_spellings) {
  EXPECT_EQ(range_of("3:7"), (NumberRange{3, 7}));
  EXPECT_EQ(range_of("3:"), (NumberRange{3, kOpen}));
  EXPECT_EQ(range_of(":7"), (NumberRange{0, 7}));
  EXPECT_EQ(range_of("5"), (NumberRange{5, 5}));
  EXPECT_EQ(range_of("5:5"), (NumberRange{5, 5}));
}

TEST(NumberRangeTest, a_range_that_is_none_says_why) {
  EXPECT_EQ(refused_range("7:3").what, "'7:3' is empty: 7 comes after 3");
  EXPECT_EQ(refused_range("7:3").hint, "did you mean 3:7?");
  EXPECT_EQ(refused_range(":").what, "':' names no step");
  EXPECT_EQ(refused_range("-2").what, "'-2' is not a number of a step");
  EXPECT_EQ(refused_range("2-5").what, "'2-5' is not a number of a step");
  EXPECT_EQ(refused_range("1:2:3").what, "'2:3' is not a number of a step");
  EXPECT_EQ(refused_range("99999999999999999999").code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace strobe::analysis
