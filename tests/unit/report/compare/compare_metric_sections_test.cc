#include <gmock/gmock.h>

#include <cmath>
#include <utility>

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
              ::testing::ElementsAre("the same metrics changed, by the same amounts"));
}

TEST(CompareMetricSectionsTest, only_metrics_that_moved_are_listed_and_twins_once) {
  const Section section = metric_section(clocked().comparison(), 0);
  ASSERT_THAT(section.table.rows, SizeIs(2));
  EXPECT_EQ(cell_text(section.table.rows[1].cells[0]), "gpu_frequency");
  EXPECT_THAT(section.notes[0],
              HasSubstr("gpu_frequency = gpu_sm_frequency on GPU 0: one series under 2 names"));
  EXPECT_EQ(section.notes[1], "ppt: percentage points, the difference of two percentages.");
  EXPECT_EQ(section.notes[2], "1 of 4 series: no evidence of a change.");
}

TEST(CompareMetricSectionsTest, a_series_of_one_run_only_is_not_called_unchanged) {
  const ComparisonSketch sketch =
      ComparisonSketch(kSteadyCycles, kSteadyCycles)
          .function("gemm", "GPU 0", {20, 21, 19, 20, 22}, {30, 31, 29, 30, 32})
          .metric("gpu_usage", {50, 51, 49, 50, 52}, {});
  const Section section = metric_section(sketch.comparison(), 0);
  EXPECT_THAT(section.notes,
              ::testing::ElementsAre("1 of 1 series: no values in one of the runs."));
}

// Two and three samples in five cycles.
ComparisonSketch seldom_sampled() {
  auto sketch = clocked();
  for (compare::MetricRow& row : sketch.edit().metrics) {
    const auto [low, high] = std::pair(row.busy.normal.mean, row.busy.abnormal.mean);
    row.busy_by_sample = compare::change_between(Values{low, low}, Values{high, high, high});
    row.busy_by_sample->q = std::nan("");
  }
  for (compare::TripletRow& row : sketch.edit().triplets) {
    row.mu_by_sample = compare::change_between(Values{row.mu.normal.mean, row.mu.normal.mean},
                                               Values{row.mu.abnormal.mean});
    row.mu_by_sample->q = std::nan("");
  }
  return sketch;
}

TEST(CompareMetricSectionsTest, metrics_of_too_few_samples_are_shown_untested) {
  const Section changed = metric_section(seldom_sampled().comparison(), 0);
  EXPECT_THAT(changed.table.rows, ::testing::IsEmpty());
  EXPECT_THAT(changed.lead, HasSubstr("over samples where neighbouring cycles share one"));
  EXPECT_THAT(
      changed.notes,
      ::testing::ElementsAre("1 of 4 series: too few values for a test, and no large difference."));
  const Section section = untested_metric_section(seldom_sampled().comparison(), 0);
  ASSERT_THAT(section.table.rows, SizeIs(2));
  EXPECT_EQ(cell_text(section.table.rows[0].cells[0]), "gpu_usage");
  EXPECT_EQ(cell_text(section.table.rows[1].cells[3]), "1,980 MHz");
  EXPECT_EQ(cell_text(section.table.rows[1].cells[4]), "990 MHz");
  EXPECT_EQ(cell_text(section.table.rows[1].cells[8]), "2,3") << "samples, not cycles";
  for (const Column& column : section.table.columns) {
    EXPECT_EQ(column.for_tools,
              column.key == "interval" || column.key == "q" || column.key == "rank")
        << column.key;
  }
  EXPECT_THAT(section.lead, HasSubstr("Too few values for a test"));
  EXPECT_TRUE(is_empty(untested_metric_section(clocked().comparison(), 0)));
}

TEST(CompareMetricSectionsTest, a_finding_does_not_list_untested_metrics) {
  const Section section = finding_section(seldom_sampled().comparison());
  ASSERT_THAT(section.arguments, SizeIs(1));
  EXPECT_THAT(section.arguments[0].in_favour, ::testing::IsEmpty());
}

TEST(CompareMetricSectionsTest, what_a_metrics_name_does_not_say_stands_below) {
  const ComparisonSketch sketch =
      ComparisonSketch(kSteadyCycles, kSteadyCycles)
          .function("gemm", "GPU 0", {20, 21, 19, 20, 22}, {30, 31, 29, 30, 32})
          .metric("gpu_power_mw", {124, 125, 123, 124, 126}, {690, 691, 689, 690, 692})
          .metric("gpu_throttle_reasons", {0, 0, 0, 0, 0}, {4, 4, 4, 4, 4});
  const Section section = metric_section(sketch.comparison(), 0);
  EXPECT_THAT(section.notes, ::testing::ElementsAre("gpu_power_mw: converted to W."));
  EXPECT_EQ(cell_text(section.table.rows[1].cells[3]), "none");
  EXPECT_EQ(cell_text(section.table.rows[1].cells[4]), "power cap");
  EXPECT_EQ(cell_text(section.table.rows[1].cells[5]), "-");
  EXPECT_THAT(finding_section(sketch.comparison()).arguments[0].in_favour[1],
              StartsWith("gpu_throttle_reasons: none -> power cap (q 0.008, n = 5 and 5)"));
}

TEST(CompareMetricSectionsTest, findings_on_the_host_say_that_they_contain_each_other) {
  ComparisonSketch sketch =
      ComparisonSketch(kSteadyCycles, {200, 201, 199, 200, 202})
          .function("aten::copy_", "Host", {20, 21, 19, 20, 22}, {80, 81, 79, 80, 82})
          .answer(compare::Answer::kSlower);
  EXPECT_THAT(finding_section(sketch.comparison()).notes, ::testing::IsEmpty());
  sketch.function("aten::to", "Host", {21, 22, 20, 21, 23}, {82, 83, 81, 82, 84});
  EXPECT_THAT(finding_section(sketch.comparison()).notes,
              ::testing::ElementsAre(HasSubstr("contain each other")));
}

const Values kLongCycles = {200, 201, 199, 200, 202};

TEST(CompareMetricSectionsTest, a_finding_explains_a_real_part_of_a_changed_cycle) {
  ComparisonSketch sketch =
      ComparisonSketch(kSteadyCycles, kLongCycles)
          .function("tiny", "GPU 0", {1, 1.1, 0.9, 1, 1.2}, {0.1, 0.2, 0.1, 0.1, 0.2})
          .function("large", "Host", {20, 21, 19, 20, 22}, {80, 81, 79, 80, 82})
          .answer(compare::Answer::kSlower);
  const Section section = finding_section(sketch.comparison());
  ASSERT_THAT(section.arguments, SizeIs(1));
  EXPECT_THAT(section.arguments[0].claim, StartsWith("large on Host"));
  EXPECT_THAT(section.notes, ::testing::IsEmpty()) << "it explains 60 %";
}

TEST(CompareMetricSectionsTest,
     without_such_a_function_the_largest_stands_there_and_the_rest_is_named) {
  ComparisonSketch sketch =
      ComparisonSketch(kSteadyCycles, kLongCycles)
          .function("small", "GPU 0", {1, 1.1, 0.9, 1, 1.2}, {6, 6.1, 5.9, 6, 6.2})
          .function("smaller", "GPU 0", {1, 1.1, 0.9, 1, 1.2}, {5, 5.1, 4.9, 5, 5.2})
          .answer(compare::Answer::kSlower);
  const Section section = finding_section(sketch.comparison());
  ASSERT_THAT(section.arguments, SizeIs(1));
  EXPECT_THAT(section.arguments[0].claim, StartsWith("small on GPU 0"));
  EXPECT_EQ(
      section.notes[0],
      "No function alone explains more than 5 % of the change of the cycle time, +100 ms; the "
      "rest, +95.0 ms, is spread over several functions or lies outside of them.");
}

TEST(CompareMetricSectionsTest, a_function_that_moved_the_other_way_explains_nothing) {
  ComparisonSketch sketch =
      ComparisonSketch(kLongCycles, kSteadyCycles)
          .function("longer", "GPU 0", {20, 21, 19, 20, 22}, {60, 61, 59, 60, 62})
          .function("loading", "Host", {110, 111, 109, 110, 112}, {5, 6, 4, 5, 7})
          .answer(compare::Answer::kFaster);
  const Section section = finding_section(sketch.comparison());
  ASSERT_THAT(section.arguments, SizeIs(1));
  EXPECT_THAT(section.arguments[0].claim, StartsWith("loading on Host"));
}

TEST(CompareMetricSectionsTest, where_all_functions_moved_the_other_way_none_is_listed) {
  ComparisonSketch sketch = ComparisonSketch(kSteadyCycles, kLongCycles)
                                .function("shorter", "GPU 0", {20, 21, 19, 20, 22}, {5, 6, 4, 5, 7})
                                .answer(compare::Answer::kSlower);
  const Section section = finding_section(sketch.comparison());
  EXPECT_THAT(section.arguments, ::testing::IsEmpty());
  EXPECT_THAT(section.notes,
              ::testing::ElementsAre(StartsWith("No function alone explains more than 0 %")));
}

// A prefill is compared with the change of the prefills, not with that of the decoding cycles.
TEST(CompareMetricSectionsTest, a_function_explains_the_change_of_its_own_type_of_cycles) {
  ComparisonSketch sketch =
      ComparisonSketch(kSteadyCycles, kLongCycles)
          .function("attention", "GPU 0", {20, 21, 19, 20, 22}, {80, 81, 79, 80, 82})
          .answer(compare::Answer::kSlower);
  compare::CycleRow prefill = sketch.comparison().cycles.front();
  prefill.type = analysis::CycleType::kLong;
  prefill.ms.shift.shift = 10'000;
  sketch.edit().cycles.push_back(prefill);
  EXPECT_THAT(finding_section(sketch.comparison()).notes, ::testing::IsEmpty())
      << "it explains 60 %";
  sketch.edit().functions[0].type = analysis::CycleType::kLong;
  EXPECT_THAT(finding_section(sketch.comparison()).notes,
              ::testing::ElementsAre(StartsWith("No function alone explains more than 0 %")));
}

compare::IdleCauseRow idle_row(compare::IdleCause cause, const Values& normal,
                               const Values& abnormal) {
  compare::IdleCauseRow row;
  row.cause = std::move(cause);
  row.ms = compare::change_between(normal, abnormal);
  row.ms.q = row.ms.rank.p;
  return row;
}

TEST(CompareMetricSectionsTest, idle_time_names_what_the_host_was_in) {
  using enum analysis::IdleKind;
  auto sketch = clocked();
  sketch.edit().idle = {
      idle_row({kRuntimeCall, "cudaMemcpyAsync", "aten::copy_"}, {1, 1.1, 0.9, 1, 1.2},
               {30, 31, 29, 30, 32}),
      idle_row({kNothing, "", ""}, {2, 2.1, 1.9, 2, 2.2}, {2, 2.1, 1.9, 2.05, 2.15})};
  const Section section = idle_section(sketch.comparison(), 0);
  ASSERT_THAT(section.table.rows, SizeIs(2));
  const auto text = [&](std::size_t row, std::size_t column) {
    return cell_text(section.table.rows[row].cells[column]);
  };
  EXPECT_EQ(text(0, 0), "cudaMemcpyAsync in aten::copy_");
  EXPECT_EQ(text(0, 1), "call");
  EXPECT_EQ(text(0, 3), "1.00 -> 30.0");
  EXPECT_EQ(text(0, 8), "longer");
  EXPECT_EQ(text(1, 0), "(nothing recorded)");
  EXPECT_EQ(text(1, 8), "no evidence");
  EXPECT_EQ(idle_section(sketch.comparison(), 1).table.left_out, "1 more (--top all shows them)");
  EXPECT_TRUE(is_empty(idle_section(clocked().comparison(), 0)));
}

TEST(CompareMetricSectionsTest, launches_have_a_delay_and_a_queue) {
  auto sketch = clocked();
  compare::LaunchRow row;
  row.device = "GPU 0";
  row.delay_us = compare::change_between(Values{5, 6, 5, 6}, Values{15, 16, 15, 16});
  row.queue = compare::change_between(Values{2, 2, 2, 2}, Values{0.5, 0.5, 0.5, 0.5});
  sketch.edit().launches = {row};
  const Section section = launch_section(sketch.comparison());
  ASSERT_THAT(section.table.rows, SizeIs(2));
  EXPECT_EQ(cell_text(section.table.rows[0].cells[3]), "5.50 us");
  EXPECT_EQ(cell_text(section.table.rows[0].cells[4]), "15.5 us");
  sketch.edit().launches[0].delay_us =
      compare::change_between(Values{1.5, 1.5, 1.4, 1.6}, Values{2254, 2250, 2260, 2240});
  const Section long_delay = launch_section(sketch.comparison());
  EXPECT_EQ(cell_text(long_delay.table.rows[0].cells[3]), "1.50 us");
  EXPECT_EQ(cell_text(long_delay.table.rows[0].cells[4]), "2.25 ms") << "the unit that fits";
  EXPECT_EQ(cell_text(section.table.rows[1].cells[0]), "launched and waiting");
  EXPECT_EQ(cell_text(section.table.rows[1].cells[4]), "0.500");
  EXPECT_TRUE(is_empty(launch_section(clocked().comparison())));
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
