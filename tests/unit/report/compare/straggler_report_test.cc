#include "strobe/report/compare/straggler_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/report/render/render.h"
#include "tests/support/rank_sketch.h"

namespace strobe::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

compare::Stragglers among(const std::vector<std::vector<double>>& own_ms) {
  auto found = compare::find_stragglers(ranked_run("job", own_ms, 10));
  EXPECT_TRUE(found) << found.error().what;
  return std::move(found).value();
}

TEST(StragglerReportTest, the_slow_rank_leads_and_what_differs_there_follows) {
  const Document document = straggler_document(among({kUsual, kUsual, kSlow}), 10);
  ASSERT_EQ(document.verdict.size(), 1u) << "no cause, and no word of that";
  EXPECT_EQ(document.verdict[0],
            "Rank 2 keeps the others waiting: it waits 1.00 ms per cycle in collectives, the "
            "others 4.00 ms, and its own time is 9.00 ms per cycle, 1.50 times as long as on the "
            "fastest rank, and longer than that of its peers in 6 of 6 cycles.");
  EXPECT_THAT(document.facts.front().remark, HasSubstr("a typical rank"));
  const std::string text = render_text(document, {.width = 100});
  EXPECT_THAT(text, HasSubstr("slow"));
  EXPECT_THAT(text, HasSubstr("gemm"));
}

TEST(StragglerReportTest, every_slow_rank_is_named_the_slowest_first) {
  const Document document = straggler_document(
      among({kUsual, kUsual, kUsual, kUsual, {8.0, 8.1, 8.0, 7.9, 8.0, 8.1}, kSlow}), 10);
  EXPECT_EQ(document.headline, "Ranks 5, 4 are slow");
  EXPECT_THAT(document.verdict[0], ::testing::StartsWith("Rank 5 keeps the others waiting"));
  EXPECT_THAT(document.verdict[1], ::testing::StartsWith("Rank 4 keeps the others waiting"));
}

TEST(StragglerReportTest, problems_of_any_rank_are_named_beside_those_of_the_compared_pair) {
  compare::Stragglers ranks = among({kUsual, kUsual, kSlow});
  ranks.quality = {"rank 1 was cut off"};
  const std::string text = render_text(straggler_document(ranks, 10), {.width = 100});
  EXPECT_THAT(text, HasSubstr("rank 1 was cut off"));
  EXPECT_THAT(text, HasSubstr("Data quality of all ranks"));
  EXPECT_THAT(straggler_html(ranks, 10), HasSubstr("rank 1 was cut off"));
}

TEST(StragglerReportTest, equal_ranks_are_said_to_be_equal) {
  const Document document = straggler_document(among({kUsual, kUsual, kUsual}), 10);
  ASSERT_EQ(document.verdict.size(), 1u);
  EXPECT_THAT(document.verdict[0], HasSubstr("None of the 3 ranks is slow"));
}

TEST(StragglerReportTest, one_cycle_is_said_to_be_too_few) {
  const compare::Stragglers one = among({{6.0}, {6.1}, {9.0}});
  const Document document = straggler_document(one, 10);
  ASSERT_EQ(document.verdict.size(), 1u);
  EXPECT_EQ(document.verdict[0],
            "Too few cycles to compare the own time of the 3 ranks: 1 cycle per rank, and a slow "
            "rank needs at least 3.");
  EXPECT_EQ(document.headline, "Too few cycles");
  EXPECT_THAT(render_text(document, {.width = 100}), HasSubstr("too few"));
}

compare::Stragglers with_late_ranks() {
  compare::Stragglers ranks = among({{6.0}, {6.1}, {6.2}});
  ranks.collectives = 84;
  const auto set = [&](std::size_t position, std::uint64_t last, double waited_ms) {
    compare::RankRow& row = ranks.ranks[position];
    row.collectives = 84;
    row.times_last = last;
    row.others_waited_ms = waited_ms;
    row.longest_wait_ms = 20;
    row.longest_wait_at_ms = 300;
    row.is_late = true;
  };
  set(0, 32, 120);
  set(2, 28, 150);
  ranks.late = {2, 0};
  return ranks;
}

TEST(StragglerReportTest, each_late_rank_is_named_with_how_often_and_how_much) {
  const Document document = straggler_document(with_late_ranks(), 10);
  ASSERT_EQ(document.verdict.size(), 3u);
  EXPECT_EQ(
      document.verdict[0],
      "Rank 2 comes last to 28 of 84 collectives: the others wait 150 ms for it, up to 20.0 ms "
      "at once (300 ms into its trace).");
  EXPECT_THAT(document.verdict[1], ::testing::StartsWith("Rank 0 comes last to 32 of 84"));
  EXPECT_THAT(document.verdict[2], ::testing::StartsWith("Too few cycles"));
  EXPECT_EQ(document.headline, "Ranks 2, 0 are late");
  EXPECT_THAT(render_text(document, {.width = 100}), HasSubstr("Last to the collectives"));
}

TEST(StragglerReportTest, a_page_opens_with_the_verdict_and_shows_the_ranks) {
  const std::string slow = straggler_html(among({kUsual, kUsual, kSlow}), 10);
  EXPECT_THAT(slow, HasSubstr("<h1>The ranks of job</h1>"));
  EXPECT_THAT(slow, HasSubstr("<h2>Rank 2 is slow</h2>"));
  EXPECT_THAT(slow, HasSubstr("Rank 2 keeps the others waiting"));
  EXPECT_THAT(slow, HasSubstr("own time and time in collectives of each rank"));
  EXPECT_THAT(slow, HasSubstr("cycle times of both runs")) << "the pictures of the comparison";
  const std::string equal = straggler_html(among({kUsual, kUsual}), 10);
  EXPECT_THAT(equal, HasSubstr("<h2>No slow rank</h2>"));
  EXPECT_THAT(equal, HasSubstr("<svg"));
}

TEST(StragglerReportTest, a_spreadsheet_gets_plain_numbers) {
  const std::string csv = straggler_csv(among({kUsual, kUsual, kSlow}));
  EXPECT_THAT(csv, ::testing::StartsWith("rank,cycles,cycle_ns,collectives_ns,own_ns,peers_ns,"));
  EXPECT_THAT(csv, HasSubstr("\n2,6,10000000,1000000,9000000,6000000,"));
  EXPECT_THAT(csv, Not(HasSubstr("ms")));
}

TEST(StragglerReportTest, people_read_words_where_tools_get_a_sign) {
  const compare::Stragglers ranks = among({kUsual, kUsual, kSlow});
  EXPECT_THAT(render_text(straggler_document(ranks, 10), {.width = 100}), HasSubstr("no evidence"));
  EXPECT_THAT(straggler_csv(ranks), HasSubstr(",~\n"));
  EXPECT_THAT(straggler_json(ranks), HasSubstr("\"verdict\": \"~\""));
}

TEST(StragglerReportTest, tools_get_the_ranks_and_the_comparison) {
  const std::string slow = straggler_json(among({kUsual, kUsual, kSlow}));
  EXPECT_THAT(slow, HasSubstr("\"slowest_rank\": 2"));
  EXPECT_THAT(slow, HasSubstr("\"strobe.compare\""));
  const std::string equal = straggler_json(among({kUsual, kUsual}));
  EXPECT_THAT(equal, HasSubstr("\"slowest_rank\": null"));
  EXPECT_THAT(equal, Not(HasSubstr("\"strobe.compare\"")));
}

TEST(StragglerReportTest, the_verdict_of_ranks_has_the_shape_of_that_of_two_runs) {
  const std::string equal = straggler_json(among({kUsual, kUsual}));
  EXPECT_THAT(equal, HasSubstr("\"version\": 2"));
  EXPECT_THAT(equal, HasSubstr("\"verdict\": {\n    \"answer\": \"no_slow_rank\",\n"));
  EXPECT_THAT(equal, HasSubstr("\"cause\": null"));
  EXPECT_THAT(equal, HasSubstr("\"confidence\": \"none\""));
  EXPECT_EQ(verdict_of(among({{6.0}, {6.1}})).answer, "cannot_tell");
  EXPECT_EQ(verdict_of(among({kUsual, kUsual, kSlow})).answer, "slow_rank");
  EXPECT_THAT(straggler_json(with_late_ranks()), HasSubstr("\"is_late\": true"));
}

}  // namespace
}  // namespace strobe::report
