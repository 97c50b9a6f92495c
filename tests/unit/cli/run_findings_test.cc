#include "strobe/cli/run_findings.h"

#include <gtest/gtest.h>

namespace strobe::cli {
namespace {

using analysis::Finding;
using analysis::FindingWeight;

report::RankInput rank(std::string name, std::vector<Finding> findings) {
  report::RankInput input;
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

}  // namespace
}  // namespace strobe::cli
