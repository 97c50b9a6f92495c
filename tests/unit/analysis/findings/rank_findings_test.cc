#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/analysis/findings/finding.h"

namespace strobe::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

// Steps of 100 ms with this much exposed communication.
Summary waiting_rank(std::int64_t exposed_ms) {
  Summary summary;
  summary.has_steps = true;
  summary.has_communication = true;
  for (int i = 0; i < 2; ++i) {
    StepRow step;
    step.interval = {0, 100'000'000};
    step.label_ns[static_cast<std::size_t>(StepLabel::kCommunication)] = exposed_ms * 1'000'000;
    summary.steps.push_back(step);
  }
  return summary;
}

TEST(StragglerTest, own_work_is_a_step_without_exposed_communication) {
  EXPECT_EQ(own_step_ns(waiting_rank(30)), 70'000'000);
  EXPECT_EQ(own_step_ns(Summary()), 0);
}

// 60, 90 and 64 ms: the median is 64, and 26 of 90 ms are what the others wait for.
TEST(StragglerTest, the_rank_with_clearly_most_own_work_keeps_the_others_waiting) {
  const Summary a = waiting_rank(40);
  const Summary b = waiting_rank(10);
  const Summary c = waiting_rank(36);
  const auto found = find_straggler({{"rank 0", &a}, {"rank 1", &b}, {"rank 2", &c}});
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->code, "straggling_rank");
  EXPECT_EQ(found->weight, FindingWeight::kMatters);
  EXPECT_NEAR(found->share, 26.0 / 90, 1e-9);
  EXPECT_EQ(found->headline,
            "rank 1 keeps the others waiting: 90.0 ms of own time per step, 1.41 times the "
            "median rank with 64.0 ms");
}

TEST(StragglerTest, even_ranks_and_a_rank_alone_have_none) {
  const Summary a = waiting_rank(40);
  const Summary b = waiting_rank(37);
  EXPECT_FALSE(find_straggler({{"rank 0", &a}, {"rank 1", &b}}).has_value());
  EXPECT_FALSE(find_straggler({{"rank 0", &a}}).has_value());
}

TEST(StragglerTest, without_communication_no_rank_is_said_to_wait) {
  Summary a = waiting_rank(50);
  Summary b = waiting_rank(0);
  a.has_communication = b.has_communication = false;
  EXPECT_TRUE(find_straggler({{"a", &a}, {"b", &b}})->headline.starts_with("b is the slowest: "));
}

TEST(StragglerTest, cycles_that_were_found_are_called_so) {
  Summary a = waiting_rank(40);
  Summary b = waiting_rank(0);
  a.cycles = b.cycles = FoundCycles{"a host range that recurs", "batch"};
  EXPECT_THAT(find_straggler({{"a", &a}, {"b", &b}})->headline,
              StartsWith("b keeps the others waiting: 100 ms of own time per cycle, "));
}

RankLateness came_last(std::uint64_t times, std::int64_t waited_ns, std::int64_t longest_ns) {
  RankLateness rank;
  rank.collectives = 84;
  rank.last = times;
  rank.others_waited_ns = waited_ns;
  rank.longest_ns = longest_ns;
  return rank;
}

// Eight ranks in 84 collectives: ranks 3 and 5 come last in most of them, the others in 4 each.
struct EightRanks {
  EightRanks() {
    summaries.resize(8, waiting_rank(40));
    lateness.ranks.resize(8, came_last(4, 100'000, 50'000));
    lateness.ranks[3] = came_last(32, 41'000'000, 3'100'000);
    lateness.ranks[5] = came_last(28, 20'000'000, 2'000'000);
    lateness.collectives = 84;
    lateness.span_ns = 603'000'000;
  }
  std::vector<RankSummary> ranks() const {
    std::vector<RankSummary> list;
    for (std::size_t i = 0; i < summaries.size(); ++i) {
      list.push_back({"rank " + std::to_string(i), &summaries[i]});
    }
    return list;
  }
  std::vector<Summary> summaries;
  Lateness lateness;
};

TEST(LateRanksTest, every_late_rank_is_named_with_how_often_and_how_long) {
  const EightRanks run;
  const auto findings = find_late_ranks(run.ranks(), run.lateness);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].code, "late_ranks");
  EXPECT_EQ(findings[0].weight, FindingWeight::kMatters);
  EXPECT_NEAR(findings[0].share, 61.0 / 603, 1e-9);
  EXPECT_EQ(findings[0].headline,
            "2 ranks keep the others waiting: rank 3 comes last in 32 of 84 collectives (the "
            "others waited 41.0 ms in all, 3.10 ms at most), rank 5 in 28 of 84 collectives (the "
            "others waited 20.0 ms in all, 2.00 ms at most); together 10.1 % of the longest rank's "
            "603 ms");
}

TEST(LateRanksTest, one_late_rank_is_told_alone) {
  EightRanks run;
  run.lateness.ranks[5] = came_last(4, 100'000, 50'000);
  const auto findings = find_late_ranks(run.ranks(), run.lateness);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].headline,
            "one rank keeps the others waiting: rank 3 comes last in 32 of 84 collectives (the "
            "others waited 41.0 ms in all, 3.10 ms at most); that is 6.8 % of the longest rank's "
            "603 ms");
}

TEST(LateRanksTest, a_late_rank_without_more_work_is_late_for_another_reason) {
  EightRanks run;
  run.summaries[3] = waiting_rank(10);
  const auto findings = find_late_ranks(run.ranks(), run.lateness);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_THAT(findings[0].against,
              ElementsAre("rank 5 has hardly more own time per step than the median rank: look at "
                          "what comes right before the collectives"));
}

Finding finding_of(const std::string& code, double share) {
  return {code, FindingWeight::kMatters, share, "GPU idle while something happens", "do it less"};
}

TEST(LateRanksTest, what_only_the_late_rank_has_is_the_likely_reason) {
  EightRanks run;
  run.lateness.ranks[5] = came_last(4, 100'000, 50'000);
  const std::vector<Finding> in_time = {finding_of("exposed_communication", 0.5),
                                        finding_of("device_idle_host_bound", 0.3)};
  const std::vector<Finding> late = {finding_of("exposed_communication", 0.1),
                                     finding_of("device_idle_host_bound", 0.32),
                                     finding_of("device_waits_for_data", 0.3)};
  std::vector<RankSummary> ranks = run.ranks();
  for (RankSummary& rank : ranks) rank.findings = &in_time;
  ranks[3].findings = &late;
  Finding finding = find_late_ranks(ranks, run.lateness)[0];
  EXPECT_THAT(finding.headline,
              EndsWith("; likely reason on rank 3: GPU idle while something happens"));
  EXPECT_EQ(finding.advice, "on rank 3: do it less");
  ranks[3].findings = &in_time;
  finding = find_late_ranks(ranks, run.lateness)[0];
  EXPECT_THAT(finding.headline, Not(HasSubstr("likely reason")));
  EXPECT_THAT(finding.advice, StartsWith("compare its tables"));
}

TEST(LateRanksTest, a_finding_that_all_have_is_a_reason_where_it_is_clearly_larger) {
  EightRanks run;
  const std::vector<Finding> in_time = {finding_of("device_waits_for_data", 0.1)};
  const std::vector<Finding> late = {finding_of("device_waits_for_data", 0.4)};
  std::vector<RankSummary> ranks = run.ranks();
  for (RankSummary& rank : ranks) rank.findings = &in_time;
  ranks[3].findings = &late;
  ranks[5].findings = &late;
  const std::string headline = find_late_ranks(ranks, run.lateness)[0].headline;
  EXPECT_THAT(headline, HasSubstr("; likely reason on rank 3: "));
  EXPECT_THAT(headline, HasSubstr("; likely reason on rank 5: "));
}

TEST(StragglerTest, the_slowest_rank_gets_its_own_finding_as_the_reason) {
  const Summary a = waiting_rank(40);
  const Summary b = waiting_rank(10);
  const std::vector<Finding> none;
  const std::vector<Finding> loading = {finding_of("device_waits_for_data", 0.3)};
  const auto found = find_straggler({{"rank 0", &a, &none}, {"rank 1", &b, &loading}});
  ASSERT_TRUE(found.has_value());
  EXPECT_THAT(found->headline,
              EndsWith("; likely reason on rank 1: GPU idle while something happens"));
}

TEST(LateRanksTest, ranks_that_take_turns_are_not_late) {
  EightRanks run;
  for (RankLateness& rank : run.lateness.ranks) rank = came_last(10, 41'000'000, 3'100'000);
  EXPECT_THAT(find_late_ranks(run.ranks(), run.lateness), IsEmpty());
}

TEST(LateRanksTest, clocks_that_differ_are_said) {
  EightRanks run;
  run.lateness.clocks_differ = true;
  const auto findings = find_late_ranks(run.ranks(), run.lateness);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_THAT(findings[0].against.back(), StartsWith("the clocks of the ranks differ"));
}

TEST(LateRanksTest, a_run_without_collectives_tells_nothing) {
  const EightRanks run;
  EXPECT_THAT(find_late_ranks(run.ranks(), Lateness()), IsEmpty());
}

}  // namespace

}  // namespace strobe::analysis
