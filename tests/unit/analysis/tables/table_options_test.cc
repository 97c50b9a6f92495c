#include "strobe/analysis/tables/table_options.h"

#include <gtest/gtest.h>

namespace strobe::analysis {
namespace {

TEST(NameFilterTest, a_filter_finds_its_pattern_anywhere_in_the_name) {
  const Result<NameFilter> filter = name_filter("--filter", "gemm|conv[0-9]d");
  ASSERT_TRUE(filter);
  EXPECT_TRUE((*filter)("sm90_xmma_gemm_bf16"));
  EXPECT_TRUE((*filter)("aten::conv2d"));
  EXPECT_FALSE((*filter)("aten::relu"));
}

TEST(NameFilterTest, a_bad_pattern_is_explained_with_its_place) {
  const Result<NameFilter> open = name_filter("--filter", "gemm(");
  ASSERT_FALSE(open);
  EXPECT_EQ(open.error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(open.error().what.starts_with("missing")) << "RE2's own word";
  EXPECT_TRUE(open.error().what.ends_with(" in 'gemm('")) << open.error().what;
  const Result<NameFilter> star = name_filter("--filter", "abc**");
  ASSERT_FALSE(star);
  EXPECT_EQ(star.error().what, "bad repetition operator at character 4 of 'abc**': '**'");
}

TEST(NameFilterTest, a_part_of_a_name_is_found_in_any_letter_case_and_taken_literally) {
  const NameFilter filter = name_contains("Gemm<(");
  EXPECT_TRUE(filter("sm90::GEMM<(int)8>"));
  EXPECT_FALSE(filter("gemm<8>"));
  EXPECT_TRUE(name_contains("ÄRGER")("ein ärgernis"));
  EXPECT_FALSE(name_contains("\xFF")("a")) << "what is no text is in no name";
}

}  // namespace

}  // namespace strobe::analysis
