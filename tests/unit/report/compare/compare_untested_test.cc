#include "strobe/report/compare/compare_untested.h"

#include <gmock/gmock.h>

#include "strobe/report/compare/compare_report.h"
#include "strobe/report/compare/compare_verdict.h"
#include "tests/support/comparison_sketch.h"

namespace strobe::report {
namespace {

using compare::Answer;
using compare::ComparisonSketch;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Three cycles a side: no test can tell anything.
compare::Comparison three_cycles() {
  ComparisonSketch sketch = ComparisonSketch({5, 5, 5}, {21, 21, 21})
                                .function("gemm", "GPU 0", {4, 4, 4}, {5, 5, 5})
                                .function("aten::copy_", "Host", {1, 1, 1}, {17.2, 17.2, 17.2})
                                .function("cudaMemcpyAsync", "Host", {1, 1, 1}, {17, 17, 17})
                                .answer(Answer::kCannotTell);
  compare::Comparison comparison = sketch.comparison();
  comparison.functions.back().key.kind = compare::FunctionKind::kRuntimeCall;
  const std::vector<double> before(3, 0.0);
  const std::vector<double> after(3, 15.0);
  comparison.idle.push_back(
      {.cause = {analysis::IdleKind::kRuntimeCall, "cudaMemcpyAsync", "aten::copy_"},
       .rank = 0,
       .ms = compare::change_between(before, after),
       .ms_per_cycle_normal = before,
       .ms_per_cycle_abnormal = after});
  return comparison;
}

TEST(UntestedTest, the_largest_differences_of_each_kind_are_named_innermost_first) {
  EXPECT_THAT(untested_differences(three_cycles()),
              ElementsAre("device idle while the host is in cudaMemcpyAsync, inside aten::copy_: "
                          "0 -> 15.0 ms (+15.0 ms)",
                          "gemm on GPU 0: 4.00 ms -> 5.00 ms (+1.00 ms)",
                          "cudaMemcpyAsync on Host: 1.00 ms -> 17.0 ms (+16.0 ms)"));
}

TEST(UntestedTest, the_verdict_and_the_causes_say_that_they_are_untested) {
  const CompareVerdict verdict = verdict_of(three_cycles());
  EXPECT_THAT(verdict.sentences.front(), HasSubstr("+320 % of normal, not tested"));
  EXPECT_THAT(verdict.sentences.back(), HasSubstr("too few cycles to test for a cause; the largest "
                                                  "differences, untested: device idle while"));
  const Section section = cause_section(three_cycles());
  EXPECT_THAT(section.lead, HasSubstr("untested"));
  EXPECT_EQ(section.points.size(), 3u);
}

TEST(UntestedTest, equal_runs_have_no_largest_difference) {
  const compare::Comparison same = ComparisonSketch({5, 5, 5}, {5, 5, 5})
                                       .function("gemm", "GPU 0", {4, 4, 4}, {4, 4, 4})
                                       .answer(Answer::kCannotTell)
                                       .comparison();
  EXPECT_THAT(untested_differences(same), IsEmpty());
}

}  // namespace
}  // namespace strobe::report
