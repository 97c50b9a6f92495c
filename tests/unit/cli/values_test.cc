#include "strobe/cli/values.h"

#include <gtest/gtest.h>

namespace strobe::cli {
namespace {

constexpr std::int64_t kOpen = std::numeric_limits<std::int64_t>::max();

NumberRange range(std::string_view typed) {
  const Result<NumberRange> result = number_range("--steps", typed);
  EXPECT_TRUE(result.has_value()) << typed;
  return result ? *result : NumberRange{-1, -1};
}

Error refused_range(std::string_view typed) {
  const Result<NumberRange> result = number_range("--steps", typed);
  EXPECT_FALSE(result.has_value()) << typed;
  return result ? Error{} : result.error();
}

TEST(ValuesTest, a_range_has_four_spellings) {
  EXPECT_EQ(range("3:7"), (NumberRange{3, 7}));
  EXPECT_EQ(range("3:"), (NumberRange{3, kOpen}));
  EXPECT_EQ(range(":7"), (NumberRange{0, 7}));
  EXPECT_EQ(range("5"), (NumberRange{5, 5}));
  EXPECT_EQ(range("5:5"), (NumberRange{5, 5}));
}

TEST(ValuesTest, a_range_that_is_none_says_why) {
  EXPECT_EQ(refused_range("7:3").what, "'7:3' is empty: 7 comes after 3");
  EXPECT_EQ(refused_range("7:3").hint, "did you mean 3:7?");
  EXPECT_EQ(refused_range(":").what, "':' names no step");
  EXPECT_EQ(refused_range("-2").what, "'-2' is not a number of a step");
  EXPECT_EQ(refused_range("2-5").what, "'2-5' is not a number of a step");
  EXPECT_EQ(refused_range("1:2:3").what, "'2:3' is not a number of a step");
  EXPECT_EQ(refused_range("99999999999999999999").code, ErrorCode::kBadCommandLine);
}

TEST(ValuesTest, a_number_is_whole_and_within_its_bounds) {
  EXPECT_EQ(*whole_number("--top", "12", 0), 12);
  EXPECT_EQ(whole_number("--top", "12x", 0).error().what, "'12x' is not a whole number");
  EXPECT_EQ(whole_number("--top", "1.5", 0).error().what, "'1.5' is not a whole number");
  EXPECT_EQ(whole_number("--top", "-1", 0).error().what, "-1 is less than 0");
  EXPECT_EQ(whole_number("--threads", "2000", 1, 1024).error().what, "2000 is more than 1024");
  EXPECT_EQ(whole_number("--top", "-1", 0).error().where, "--top");
}

TEST(ValuesTest, amounts_of_memory_have_units) {
  EXPECT_EQ(*byte_count("--memory", "100000000", 0), 100'000'000);
  EXPECT_EQ(*byte_count("--memory", "512M", 0), 512 << 20);
  EXPECT_EQ(*byte_count("--memory", "8g", 0), std::int64_t{8} << 30);
  EXPECT_EQ(*byte_count("--memory", "64KiB", 0), 64 << 10);
  EXPECT_EQ(*byte_count("--memory", "1TB", 0), std::int64_t{1} << 40);
  for (const char* typed : {"", "G", "8X", "-1G", "1.5G", "9000000000T", "8 G"}) {
    EXPECT_EQ(byte_count("--memory", typed, 0).error().what,
              std::string("'") + typed + "' is not an amount of memory");
  }
  EXPECT_EQ(byte_count("--memory", "1M", 64 << 20).error().what,
            "1M is too little; 64M is the least");
}

TEST(ValuesTest, a_filter_finds_its_pattern_anywhere_in_the_name) {
  const Result<NameFilter> filter = name_filter("--filter", "gemm|conv[0-9]d");
  ASSERT_TRUE(filter);
  EXPECT_TRUE((*filter)("sm90_xmma_gemm_bf16"));
  EXPECT_TRUE((*filter)("aten::conv2d"));
  EXPECT_FALSE((*filter)("aten::relu"));
}

TEST(ValuesTest, a_bad_pattern_is_explained_with_its_place) {
  const Result<NameFilter> open = name_filter("--filter", "gemm(");
  ASSERT_FALSE(open);
  EXPECT_EQ(open.error().code, ErrorCode::kBadCommandLine);
  EXPECT_TRUE(open.error().what.starts_with("missing")) << "RE2's own word";
  EXPECT_TRUE(open.error().what.ends_with(" in 'gemm('")) << open.error().what;
  const Result<NameFilter> star = name_filter("--filter", "abc**");
  ASSERT_FALSE(star);
  EXPECT_EQ(star.error().what, "bad repetition operator at character 4 of 'abc**': '**'");
}

}  // namespace
}  // namespace strobe::cli
