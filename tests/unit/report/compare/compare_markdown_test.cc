#include "strobe/report/compare/compare_formats.h"

#include <gmock/gmock.h>

#include "tests/support/comparison_sketch.h"

namespace strobe::report {
namespace {

using compare::Answer;
using compare::ComparisonSketch;
using ::testing::HasSubstr;

ComparisonSketch uneven_runs() {
  return ComparisonSketch({100, 101, 99, 100, 102}, {110, 111, 109, 110})
      .function("f<a|b>", "GPU 0", {20, 21, 19, 20, 22}, {30, 31, 29, 30})
      .metric("gpu_sm_frequency", {1980, 1981, 1979, 1980, 1980}, {990, 991, 989, 990})
      .function("norm", "GPU 0", {5, 5.1, 4.9, 5, 5.2}, {5, 5.1, 4.9, 5.05})
      .answer(Answer::kSlower)
      .quality("the last remark");
}

TEST(CompareMarkdownTest, the_verdict_is_first_the_known_tables_follow_the_remarks_are_last) {
  const std::string page = compare_markdown(uneven_runs().comparison(), 0);
  std::size_t last = 0;
  for (const char* part :
       {"## Verdict", "## Cycle time", "## Causes", "## Key findings", "## Functions",
        "## High-Level Performance Summary", "## Cycle Duration Distribution Comparison",
        "## Detailed comparison table", "## Data quality\n\n- the last remark\n"}) {
    const std::size_t at = page.find(part);
    ASSERT_NE(at, std::string::npos) << part;
    EXPECT_GT(at, last) << part;
    last = at;
  }
}

TEST(CompareMarkdownTest, the_known_tables_have_their_columns_and_plain_numbers_on_both_sides) {
  const std::string page = compare_markdown(uneven_runs().comparison(), 0);
  EXPECT_THAT(page, HasSubstr("| Avg Cycle Time (us) | 100,400.00 | 110,000.00 |"));
  EXPECT_THAT(page, HasSubstr("|           1 |         102,000.00 |           111,000.00 |"));
  EXPECT_THAT(page, HasSubstr("|   Suspicion Score |   β_normal(%) |"));
  EXPECT_THAT(page, HasSubstr("| f<a\\|b>         | gpu_sm_frequency | GPU 0    |"));
}

TEST(CompareMarkdownTest, functions_without_metrics_have_a_row_too) {
  EXPECT_THAT(compare_markdown(uneven_runs().comparison(), 0),
              HasSubstr("| norm            | -    "));
}

TEST(CompareMarkdownTest, what_is_unknown_is_a_dash_and_no_number) {
  const std::string page = compare_markdown(uneven_runs().comparison(), 0);
  const std::string row = page.substr(page.find("| norm            | -    "));
  EXPECT_THAT(row.substr(0, row.find('\n')), ::testing::ContainsRegex("(\\| +- +){7}"));
  EXPECT_EQ(page.find("nan"), std::string::npos);
}

TEST(CompareMarkdownTest, a_cut_table_says_so) {
  EXPECT_THAT(compare_markdown(uneven_runs().comparison(), 1), HasSubstr("\n… 1 more\n"));
}

}  // namespace
}  // namespace strobe::report
