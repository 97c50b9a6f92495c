#include <gmock/gmock.h>

#include "strobe/report/compare/compare_report.h"
#include "tests/support/comparison_sketch.h"

namespace strobe::report {
namespace {

using compare::ComparisonSketch;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<double> kCycles = {100, 101, 99, 100, 102};

ComparisonSketch several() {
  ComparisonSketch sketch =
      ComparisonSketch(kCycles, kCycles)
          .function("same", "GPU 0", {5, 5.1, 4.9, 5, 5.2}, {5, 5.1, 4.9, 5.05, 5.15})
          .function("slow", "GPU 0", {20, 21, 19, 20, 22}, {30, 31, 29, 30, 32})
          .function("fast", "Host", {20, 21, 19, 20, 22}, {10, 11, 9, 10, 12})
          .function("fresh", "GPU 0", {0, 0, 0, 0, 0}, {1, 1, 1, 1, 1})
          .function("gone", "GPU 0", {2, 2, 2, 2, 2}, {0, 0, 0, 0, 0});
  for (compare::FunctionRow& row : sketch.edit().functions) row.ms.q = row.ms.rank.p;
  return sketch;
}

std::vector<std::string> shown_cells(const Section& section, std::size_t row) {
  std::vector<std::string> cells;
  for (std::size_t i = 0; i < section.table.columns.size(); ++i) {
    if (!section.table.columns[i].for_tools) {
      cells.push_back(cell_text(section.table.rows[row].cells[i]));
    }
  }
  return cells;
}

TEST(CompareFunctionSectionsTest, changed_functions_come_first_and_carry_interval_q_and_n) {
  const Section section = function_section(several().comparison(), 0);
  ASSERT_EQ(section.table.rows.size(), 3u);
  EXPECT_THAT(shown_cells(section, 0), ElementsAre("slow", "GPU 0", "20.0 -> 30.0", "+10.0",
                                                   "+8.0, +12.0", "0.008", "5,5", "slower"));
  EXPECT_THAT(shown_cells(section, 1), ElementsAre("fast", "Host", "20.0 -> 10.0", "-10.0",
                                                   "-12.0, -8.0", "0.008", "5,5", "faster"));
  EXPECT_THAT(shown_cells(section, 2).back(), HasSubstr("~ "));
  EXPECT_THAT(section.lead, HasSubstr("2 of 3 functions changed"));
}

TEST(CompareFunctionSectionsTest, the_lead_says_the_order_and_whose_q_it_is) {
  auto sketch = several();
  const std::string lead = function_section(sketch.comparison(), 0).lead;
  EXPECT_THAT(lead, HasSubstr("by suspicion"));
  EXPECT_THAT(lead, HasSubstr("q, of these times, is the expected share of false alarms among all "
                              "rows with this q or a smaller one"));
  sketch.edit().order = compare::RankKey::kImpact;
  EXPECT_THAT(function_section(sketch.comparison(), 0).lead,
              HasSubstr("The largest change beyond chance first."));
  sketch.edit().functions[1].beta.q = 0.0001;
  sketch.edit().functions[1].ms.q = 0.3;
  EXPECT_EQ(shown_cells(function_section(sketch.comparison(), 0), 1)[5], "0.30");
}

TEST(CompareFunctionSectionsTest, columns_are_called_by_the_labels_of_the_runs) {
  auto sketch = several();
  sketch.edit().normal.label = "main";
  sketch.edit().abnormal.label = "faster_branch";
  EXPECT_EQ(function_section(sketch.comparison(), 0).table.columns[4].header,
            "main ->\nfaster_branch");
}

TEST(CompareFunctionSectionsTest, sorted_by_impact_no_verdict_pushes_a_large_change_down) {
  auto sketch = several();
  sketch.edit().order = compare::RankKey::kImpact;
  const Section section = function_section(sketch.comparison(), 1);
  EXPECT_EQ(shown_cells(section, 0).front(), "same") << "as the comparison has them";
  EXPECT_THAT(section.table.left_out, HasSubstr("2 more, 2 of them changed"));
}

TEST(CompareFunctionSectionsTest, a_share_that_moved_because_the_cycle_did_is_called_so) {
  const ComparisonSketch sketch =
      ComparisonSketch(kCycles, {200, 201, 199, 200, 202})
          .function("norm", "GPU 0", {5, 5.1, 4.9, 5, 5.2}, {5, 5.1, 4.9, 5.05, 5.15});
  const Section section = function_section(sketch.comparison(), 0);
  EXPECT_EQ(shown_cells(section, 0).back(), "share");
  EXPECT_THAT(section.notes[0], HasSubstr("its own time did not change"));
  EXPECT_TRUE(finding_section(sketch.comparison()).arguments.empty());
}

TEST(CompareFunctionSectionsTest, a_time_that_moved_as_the_cycle_did_is_called_so) {
  const ComparisonSketch sketch =
      ComparisonSketch(kCycles, {200, 202, 198, 200, 204})
          .function("loop", "Host", {50, 50.5, 49.5, 50, 51}, {100, 101, 99, 100, 102});
  const Section section = function_section(sketch.comparison(), 0);
  EXPECT_EQ(shown_cells(section, 0).back(), "~ scaled");
  EXPECT_THAT(section.notes[0], HasSubstr("its share is the same"));
}

TEST(CompareFunctionSectionsTest, what_is_cut_is_counted) {
  const Section section = function_section(several().comparison(), 1);
  EXPECT_EQ(section.table.rows.size(), 1u);
  EXPECT_EQ(section.table.left_out, "2 more, 1 of them changed (--top all shows them)");
}

TEST(CompareFunctionSectionsTest, new_and_vanished_functions_have_a_table_of_their_own) {
  const Section section = appearance_section(several().comparison(), 0);
  ASSERT_EQ(section.table.rows.size(), 2u);
  EXPECT_THAT(shown_cells(section, 0),
              ElementsAre("fresh", "GPU 0", "new", "1.00", "0.996 %", "1.00", "5,5"));
  EXPECT_THAT(shown_cells(section, 1)[2], "vanished");
}

TEST(CompareFunctionSectionsTest, ranks_are_shown_where_there_are_several) {
  auto sketch = several();
  EXPECT_EQ(shown_cells(function_section(sketch.comparison(), 0), 0).size(), 8u);
  sketch.edit().normal.ranks.push_back(sketch.comparison().normal.ranks.front());
  EXPECT_EQ(shown_cells(function_section(sketch.comparison(), 0), 0).size(), 9u);
}

TEST(CompareFunctionSectionsTest, too_few_cycles_give_no_verdict) {
  const ComparisonSketch two =
      ComparisonSketch({100, 101}, {200, 201}).function("gemm", "GPU 0", {20, 21}, {40, 41});
  const Section section = function_section(two.comparison(), 0);
  EXPECT_EQ(shown_cells(section, 0).back(), "too few");
  EXPECT_EQ(shown_cells(section, 0)[4], "none");
}

}  // namespace
}  // namespace strobe::report
