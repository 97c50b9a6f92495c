#include "strobe/report/compare/compare_report.h"

#include <gmock/gmock.h>

#include <limits>
#include <sstream>

#include "strobe/report/render/display_text.h"
#include "strobe/report/render/render.h"
#include "tests/support/comparison_sketch.h"

namespace strobe::report {
namespace {

using compare::Answer;
using compare::CauseKind;
using compare::ComparisonSketch;
using ::testing::HasSubstr;
using ::testing::Not;

ComparisonSketch everything() {
  return ComparisonSketch({100, 101, 99, 100, 102}, {110, 111, 109, 110, 112})
      .function("void ns::gemm<4>(float*)", "GPU 0", {20, 21, 19, 20, 22}, {30, 31, 29, 30, 32})
      .metric("gpu_frequency", {1980, 1981, 1979, 1980, 1980}, {990, 991, 989, 990, 990})
      .metric("gpu_sm_frequency", {1980, 1981, 1979, 1980, 1980}, {990, 991, 989, 990, 990})
      .metric("gpu_usage", {50, 51, 49, 50, 52}, {60, 61, 59, 60, 62})
      .function("norm", "GPU 0", {5, 5.1, 4.9, 5, 5.2}, {5.5, 5.6, 5.4, 5.55, 5.7})
      .function("fused", "GPU 0", {0, 0, 0, 0, 0}, {1, 1, 1, 1, 1})
      .device("GPU 0", 0.25, 0.35)
      .answer(Answer::kSlower)
      .cause(CauseKind::kClockDrop, 0.9, "the clock of GPU 0 dropped")
      .evidence("core clock 1980 -> 990 MHz", "gpu_sm_frequency")
      .against("memory clock unchanged")
      .advice("look at the power cap")
      .quality("normal: 5 cycles by step annotations");
}

std::string text_of(const ComparisonSketch& sketch, int width = 100) {
  return render_text(compare_document(sketch.comparison(), 10), {.width = width});
}

TEST(CompareReportTest, the_verdict_comes_before_everything) {
  const std::string text = text_of(everything());
  EXPECT_THAT(text,
              ::testing::StartsWith("strobe compare: abnormal against normal\n"
                                    "  Slower: the median cycle time rose, 100 ms -> 110 ms"));
  EXPECT_LT(text.find("Likely cause"), text.find("── Cycle time"));
}

TEST(CompareReportTest, sections_stand_in_the_order_of_a_persons_questions) {
  const std::string text = text_of(everything());
  std::size_t last = 0;
  for (const char* title : {"── Cycle time", "── Causes", "── Key findings", "── Functions",
                            "── New and vanished functions", "── Devices",
                            "── Metrics that changed", "── Data quality"}) {
    const std::size_t at = text.find(title);
    ASSERT_NE(at, std::string::npos) << title;
    EXPECT_GT(at, last) << title;
    last = at;
  }
}

TEST(CompareReportTest, no_line_is_wider_than_asked_for) {
  for (const int width : {60, 80, 100, 160}) {
    std::istringstream lines(text_of(everything(), width));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(columns_of(line), static_cast<std::size_t>(width)) << line;
    }
  }
}

TEST(CompareReportTest, a_cause_has_what_speaks_for_and_against_it_and_what_to_do) {
  EXPECT_THAT(text_of(everything()), HasSubstr("  1. the clock of GPU 0 dropped (score 0.90)\n"
                                               "     + core clock 1980 -> 990 MHz\n"
                                               "     - memory clock unchanged\n"
                                               "     → look at the power cap\n"));
}

TEST(CompareReportTest, without_evidence_no_cause_is_made_up) {
  auto sketch = everything();
  sketch.edit().causes.clear();
  EXPECT_THAT(text_of(sketch), HasSubstr("The cause is unknown: no rule found enough evidence."));
}

TEST(CompareReportTest, the_cycle_test_shows_both_tests_the_shift_and_the_effect) {
  const Section section = cycle_section(everything().comparison());
  ASSERT_EQ(section.table.rows.size(), 1u);
  std::vector<std::string> cells;
  for (const Cell& cell : section.table.rows[0].cells) cells.push_back(cell_text(cell));
  EXPECT_THAT(cells, ::testing::ElementsAre("step", "5 and 5", "100 ms", "110 ms", "+10.0 ms",
                                            "+8.0 to +12.0 ms", "0.008", "<0.001", "slower"));
  EXPECT_THAT(section.notes[0], HasSubstr("Cliff's delta +1.00 (large)"));
}

TEST(CompareReportTest, a_cycle_test_by_means_says_so) {
  auto sketch = everything();
  compare::CycleRow& row = sketch.edit().cycles.front();
  row.ms.shift.low = -std::numeric_limits<double>::infinity();
  row.ms.shift.high = std::numeric_limits<double>::infinity();
  row.ms.core_shift = {10, 7, 13};
  row.ms.normal_core.mean = 100;
  row.ms.abnormal_core.mean = 110;
  const Section section = cycle_section(sketch.comparison());
  EXPECT_EQ(cell_text(section.table.rows[0].cells[5]), "none");
  EXPECT_EQ(
      section.notes[0],
      "The verdict is that of the means, because the typical difference does not show what "
      "strikes some cycles only. Without the wildest cycles: 100 ms -> 110 ms, +10.0 ms (95 % "
      "interval +7.0 to +13.0 ms).");
}

TEST(CompareReportTest, a_cycle_time_that_did_not_change_says_so_in_words) {
  const ComparisonSketch bare =
      ComparisonSketch({100, 101, 99, 102}, {100, 101, 99, 102}).answer(Answer::kNoChange);
  EXPECT_EQ(cell_text(cycle_section(bare.comparison()).table.rows[0].cells[8]), "no evidence");
}

TEST(CompareReportTest, columns_and_facts_have_the_labels_of_the_runs) {
  auto sketch = everything();
  sketch.edit().normal.label = "main";
  sketch.edit().abnormal.label = "branch";
  const Document document = compare_document(sketch.comparison(), 10);
  EXPECT_EQ(document.facts[0].key, "normal");
  EXPECT_EQ(document.facts[0].label, "main");
  EXPECT_EQ(document.facts[1].label, "branch");
  const Section section = cycle_section(sketch.comparison());
  EXPECT_EQ(section.table.columns[2].key, "normal");
  EXPECT_EQ(section.table.columns[2].header, "main");
  EXPECT_EQ(section.table.columns[3].header, "branch");
}

TEST(CompareReportTest, parts_without_content_are_left_out) {
  const ComparisonSketch bare =
      ComparisonSketch({100, 101, 99, 102}, {100, 101, 99, 102}).answer(Answer::kNoChange);
  const std::string text = text_of(bare);
  EXPECT_THAT(text, Not(HasSubstr("New and vanished")));
  EXPECT_THAT(text, Not(HasSubstr("Metrics that changed")));
  EXPECT_THAT(text, Not(HasSubstr("Key findings")));
  EXPECT_THAT(text, HasSubstr("── Data quality"));
}

}  // namespace
}  // namespace strobe::report
