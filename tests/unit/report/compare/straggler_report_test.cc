#include "strobe/report/compare/straggler_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/report/render/document_html.h"
#include "strobe/report/render/render.h"
#include "tests/support/rank_sketch.h"

namespace strobe::report {
namespace {

using testing::HasSubstr;
using testing::Not;

compare::Stragglers among(const std::vector<std::vector<double>>& own_ms) {
  auto found = compare::find_stragglers(ranked_run("job", own_ms, 10));
  EXPECT_TRUE(found) << found.error().what;
  return std::move(found).value();
}

const std::vector<double> kUsual = {6.0, 6.1, 6.0, 5.9, 6.0, 6.1};
const std::vector<double> kSlow = {9.0, 9.1, 9.0, 8.9, 9.0, 9.1};

TEST(StragglerReportTest, the_slow_rank_leads_and_its_reason_follows) {
  const Document document = straggler_document(among({kUsual, kUsual, kSlow}), 10);
  ASSERT_EQ(document.verdict.size(), 2u);
  EXPECT_EQ(document.verdict[0],
            "Rank 2 keeps the others waiting: its own work takes 9.00 ms per cycle, 1.50 "
            "times as long as on the fastest rank, and it was late in 6 of 6 cycles.");
  const std::string text = render_text(document, {.width = 100});
  EXPECT_THAT(text, HasSubstr("slow"));
  EXPECT_THAT(text, HasSubstr("gemm"));
}

TEST(StragglerReportTest, equal_ranks_are_said_to_be_equal) {
  const Document document = straggler_document(among({kUsual, kUsual, kUsual}), 10);
  ASSERT_EQ(document.verdict.size(), 1u);
  EXPECT_THAT(document.verdict[0], HasSubstr("None of the 3 ranks is slow"));
}

TEST(StragglerReportTest, a_page_opens_with_the_verdict) {
  const std::string slow = document_html(straggler_document(among({kUsual, kUsual, kSlow}), 10));
  EXPECT_THAT(slow, HasSubstr("<h2>Rank 2 is slow</h2>"));
  EXPECT_THAT(slow, HasSubstr("Rank 2 keeps the others waiting"));
  const std::string equal = document_html(straggler_document(among({kUsual, kUsual}), 10));
  EXPECT_THAT(equal, HasSubstr("<h2>No slow rank</h2>"));
}

TEST(StragglerReportTest, tools_get_the_ranks_and_the_comparison) {
  const std::string slow = straggler_json(among({kUsual, kUsual, kSlow}));
  EXPECT_THAT(slow, HasSubstr("\"slowest_rank\": 2"));
  EXPECT_THAT(slow, HasSubstr("\"strobe.compare\""));
  const std::string equal = straggler_json(among({kUsual, kUsual}));
  EXPECT_THAT(equal, HasSubstr("\"slowest_rank\": null"));
  EXPECT_THAT(equal, Not(HasSubstr("\"strobe.compare\"")));
}

}  // namespace
}  // namespace strobe::report
