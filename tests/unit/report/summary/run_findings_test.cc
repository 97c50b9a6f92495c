#include "strobe/report/summary/run_findings.h"

#include <gtest/gtest.h>

namespace strobe::report {
namespace {

using analysis::Finding;
using analysis::FindingWeight;

RankInput rank(std::string name, std::vector<Finding> findings) {
  RankInput input;
  input.name = std::move(name);
  input.findings = std::move(findings);
  return input;
}

Finding finding(std::string code, FindingWeight weight, double share, std::string headline) {
  return {.code = std::move(code),
          .weight = weight,
          .share = share,
          .headline = std::move(headline),
          .advice = ""};
}

TEST(RunFindingsTest, of_each_kind_the_worst_rank_speaks) {
  const auto findings = findings_of_run(
      {rank("rank 0", {finding("idle", FindingWeight::kMatters, 0.2, "idle 20 %")}),
       rank("rank 1", {finding("idle", FindingWeight::kMatters, 0.6, "idle 60 %")}),
       rank("rank 2", {finding("copies", FindingWeight::kWorthALook, 0.9, "copies 90 %")})});
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].headline, "rank 1, the worst of 2 alike: idle 60 %");
  EXPECT_EQ(findings[1].headline, "rank 2: copies 90 %");
}

TEST(RunFindingsTest, weight_comes_before_share) {
  const auto findings =
      findings_of_run({rank("rank 0", {finding("a", FindingWeight::kNote, 0.9, "a"),
                                       finding("b", FindingWeight::kMatters, 0.1, "b")})});
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].code, "b");
}

TEST(RunFindingsTest, ranks_without_findings_have_none_together) {
  EXPECT_TRUE(findings_of_run({rank("rank 0", {}), rank("rank 1", {})}).empty());
}

// Rank 1 has no exposed communication, so rank 0 shows its waiting as such: the cause comes first.
TEST(RunFindingsTest, the_rank_others_wait_for_comes_before_their_waiting) {
  analysis::Summary waiting;
  waiting.has_communication = true;
  waiting.steps.resize(1);
  waiting.steps[0].interval = {0, 100};
  analysis::Summary slow = waiting;
  waiting.steps[0].label_ns[static_cast<int>(analysis::StepLabel::kCommunication)] = 40;
  auto rank0 = rank("rank 0", {finding("exposed", FindingWeight::kMatters, 0.9, "exposed 90 %")});
  auto rank1 = rank("rank 1", {});
  rank0.summary = &waiting;
  rank1.summary = &slow;
  const auto findings = findings_of_run({rank0, rank1});
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].code, "straggling_rank");
}

}  // namespace
}  // namespace strobe::report
