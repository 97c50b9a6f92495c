#include <gmock/gmock.h>

#include "strobe/report/compare/compare_report.h"
#include "tests/support/comparison_sketch.h"

namespace strobe::report {
namespace {

using compare::CauseKind;
using compare::ComparisonSketch;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

using Values = std::vector<double>;
const Values kSteadyCycles = {100, 101, 99, 100, 102};
const Values kNormalClock = {1980, 1981, 1979, 1980, 1980};
const Values kLowClock = {990, 991, 989, 990, 990};

ComparisonSketch clocked() {
  return ComparisonSketch(kSteadyCycles, kSteadyCycles)
      .function("gemm", "GPU 0", {20, 21, 19, 20, 22}, {30, 31, 29, 30, 32})
      .metric("gpu_usage", {50, 51, 49, 50, 52}, {60, 61, 59, 60, 62})
      .metric("gpu_frequency", kNormalClock, kLowClock)
      .metric("gpu_sm_frequency", kNormalClock, kLowClock)
      .metric("gpu_mem_frequency", {2619, 2619, 2619, 2619, 2619}, {2619, 2619, 2619, 2619, 2619});
}

TEST(CompareMetricSectionsTest, a_finding_has_what_changed_and_what_moved_meanwhile) {
  const Section section = finding_section(clocked().comparison());
  ASSERT_THAT(section.arguments, SizeIs(1));
  EXPECT_THAT(section.arguments[0].claim,
              StartsWith("gemm on GPU 0: 20.0 ms -> 30.0 ms (+10.0 ms, 95 % interval +8.0 to +12.0 "
                         "ms) per cycle; 20 % -> 30 % of the cycle's time"));
  ASSERT_THAT(section.arguments[0].in_favour, SizeIs(2));
  EXPECT_THAT(section.arguments[0].in_favour[0], StartsWith("gpu_usage: 50 % -> 60 % (+10 ppt"));
  EXPECT_THAT(section.arguments[0].in_favour[1],
              StartsWith("gpu_frequency = gpu_sm_frequency: 1,980 MHz -> 990 MHz (-990 MHz"));
}

TEST(CompareMetricSectionsTest, what_a_cause_stands_on_is_named_first) {
  auto sketch = clocked();
  sketch.cause(CauseKind::kClockDrop, 0.9, "clock").evidence("seen", "gpu_frequency");
  const Section section = finding_section(sketch.comparison());
  EXPECT_THAT(section.arguments[0].in_favour[0], StartsWith("gpu_frequency"));
}

TEST(CompareMetricSectionsTest, equal_news_are_told_once) {
  auto sketch = clocked();
  sketch.function("gemm2", "GPU 0", {10, 11, 9, 10, 12}, {20, 21, 19, 20, 22})
      .metric("gpu_usage", {50, 51, 49, 50, 52}, {60, 61, 59, 60, 62})
      .metric("gpu_frequency", kNormalClock, kLowClock)
      .metric("gpu_sm_frequency", kNormalClock, kLowClock);
  const Section section = finding_section(sketch.comparison());
  ASSERT_THAT(section.arguments, SizeIs(2));
  EXPECT_THAT(section.arguments[1].in_favour,
              testing::ElementsAre("the same metrics changed, by the same amounts"));
}

TEST(CompareMetricSectionsTest, only_metrics_that_moved_are_listed_and_twins_once) {
  const Section section = metric_section(clocked().comparison(), 0);
  ASSERT_THAT(section.table.rows, SizeIs(2));
  EXPECT_EQ(cell_text(section.table.rows[1].cells[0]), "gpu_frequency");
  EXPECT_THAT(section.notes[0],
              HasSubstr("gpu_frequency = gpu_sm_frequency on GPU 0: one series under 2 names"));
  EXPECT_EQ(section.notes[1], "1 of 4 series: no evidence of a change.");
}

TEST(CompareMetricSectionsTest, a_series_of_one_run_only_is_not_called_unchanged) {
  const ComparisonSketch sketch =
      ComparisonSketch(kSteadyCycles, kSteadyCycles)
          .function("gemm", "GPU 0", {20, 21, 19, 20, 22}, {30, 31, 29, 30, 32})
          .metric("gpu_usage", {50, 51, 49, 50, 52}, {});
  const Section section = metric_section(sketch.comparison(), 0);
  EXPECT_THAT(section.notes, testing::ElementsAre("1 of 1 series: no values in one of the runs."));
}

TEST(CompareMetricSectionsTest, the_host_is_no_device) {
  auto sketch = clocked();
  sketch.device("Host", 0.5, 0.5).device("GPU 0", 0.25, 0.35);
  const Section section = device_section(sketch.comparison());
  ASSERT_THAT(section.table.rows, SizeIs(1));
  EXPECT_EQ(cell_text(section.table.rows[0].cells[2]), "25 %");
}

}  // namespace
}  // namespace strobe::report
