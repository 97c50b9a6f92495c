#include "strobe/analysis/timeline/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using ::testing::ElementsAre;

Trace four_slices() {
  return Sketch()
      .slice("gemm", kOp, 30, 5)
      .slice("GEMM_tn", kOp, 10, 7)
      .slice("copy", kOp, 20, 100)
      .slice("gemm", kOp, 10, 1)
      .trace();
}

TEST(SearchTest, matches_come_by_start_and_equal_starts_in_file_order) {
  const SearchAnswer answer = search_slices(four_slices(), name_contains("gemm"));
  EXPECT_EQ(answer.total, 3u);
  EXPECT_EQ(answer.total_ns, 13);
  EXPECT_THAT(answer.slices, ElementsAre(SliceId(1), SliceId(3), SliceId(0)));
}

TEST(SearchTest, a_page_is_a_part_and_the_totals_are_of_all) {
  const Trace trace = four_slices();
  const SearchAnswer second =
      search_slices(trace, name_contains("gemm"), {.offset = 1, .limit = 1});
  EXPECT_EQ(second.total, 3u);
  EXPECT_EQ(second.total_ns, 13);
  EXPECT_THAT(second.slices, ElementsAre(SliceId(3)));
  const SearchAnswer behind =
      search_slices(trace, name_contains("gemm"), {.offset = 9, .limit = 5});
  EXPECT_EQ(behind.total, 3u);
  EXPECT_TRUE(behind.slices.empty());
  EXPECT_TRUE(
      search_slices(trace, name_contains("gemm"), {.offset = 0, .limit = 0}).slices.empty());
}

TEST(SearchTest, each_distinct_name_is_asked_about_once) {
  int asked = 0;
  search_slices(four_slices(), [&](std::string_view) { return ++asked, true; });
  EXPECT_EQ(asked, 3);
}

TEST(SearchTest, an_empty_trace_has_no_matches) {
  EXPECT_EQ(search_slices(Sketch().trace(), name_contains("x")).total, 0u);
}

}  // namespace
}  // namespace strobe::analysis
