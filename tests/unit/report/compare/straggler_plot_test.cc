#include "strobe/report/compare/straggler_plot.h"

#include <gmock/gmock.h>

namespace strobe::report {
namespace {

using compare::RankRow;
using compare::Stragglers;
using ::testing::HasSubstr;
using ::testing::Not;

Stragglers two_ranks() {
  Stragglers ranks;
  RankRow usual;
  usual.rank = 0;
  usual.own_ms = 6;
  usual.waiting_ms = 4;
  RankRow slow = usual;
  slow.rank = 3;
  slow.own_ms = 9;
  slow.waiting_ms = 1;
  slow.is_slow = true;
  ranks.ranks = {usual, slow};
  return ranks;
}

std::size_t occurrences(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

TEST(StragglerPlotTest, every_rank_has_its_own_time_and_its_wait) {
  const std::string svg = rank_times_plot(two_ranks());
  EXPECT_EQ(occurrences(svg, "class=\"busy\""), 2u);
  EXPECT_EQ(occurrences(svg, "class=\"same\""), 2u);
  EXPECT_THAT(svg, HasSubstr("rank 3: own time 9.00 ms, in collectives 1.00 ms"));
  EXPECT_THAT(svg, HasSubstr("9.00 ms + 1.00 ms, slow"));
  EXPECT_EQ(rank_times_plot({}), "");
}

TEST(StragglerPlotTest, waits_are_drawn_once_somebody_waited) {
  Stragglers ranks = two_ranks();
  EXPECT_EQ(rank_waits_plot(ranks), "");
  ranks.ranks[1].others_waited_ms = 35;
  ranks.ranks[1].times_last = 12;
  ranks.ranks[1].collectives = 84;
  EXPECT_THAT(rank_waits_plot(ranks), HasSubstr("35.0 ms, last in 12 of 84"));
  EXPECT_THAT(rank_waits_plot(ranks), Not(HasSubstr("late")));
  EXPECT_THAT(rank_waits_plot(ranks), HasSubstr(">never last<")) << "rank 0";
  ranks.ranks[1].is_late = true;
  EXPECT_THAT(rank_waits_plot(ranks), HasSubstr("35.0 ms, last in 12 of 84, late"));
}

}  // namespace
}  // namespace strobe::report
