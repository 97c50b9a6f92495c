#include <gmock/gmock.h>

#include "strobe/report/render/render.h"
#include "tests/unit/report/summary/summary_sketch.h"

namespace strobe::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class StepSectionsTest : public SummarySketch {
 protected:
  Section steps(const TableOptions& options) { return document(options).sections[1]; }

  void set_lengths(const std::vector<std::int64_t>& lengths_us) {
    const analysis::StepRow first = summary_.steps[0];
    summary_.steps.clear();
    for (const std::int64_t length_us : lengths_us) {
      analysis::StepRow& step = summary_.steps.emplace_back(first);
      step.name = "step#" + std::to_string(summary_.steps.size());
      step.interval.end_ns = step.interval.start_ns + length_us * 1'000;
    }
  }

  // Positions of the steps marked as the longest.
  std::vector<std::size_t> marked() {
    TableOptions options = only(View::kSteps);
    options.top = 0;
    const auto texts = table_texts(steps(options).table);
    std::vector<std::size_t> positions;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (texts[i][4] == "longest") positions.push_back(i);
    }
    return positions;
  }
};

TEST_F(StepSectionsTest, the_step_breakdown_adds_up_to_a_hundred_percent) {
  const Document report = document(only(View::kSteps));
  const Section& section = report.sections.front();
  const auto texts = table_texts(section.table);
  ASSERT_EQ(texts.size(), 4u);
  EXPECT_EQ(texts[0][0], "GPU computes");
  EXPECT_EQ(texts[0][2], "7.50 ms");
  EXPECT_THAT((std::vector<std::string>{texts[0][4], texts[1][4], texts[2][4], texts[3][4]}),
              ElementsAre("50.0 %", "16.7 %", "33.3 %", "100.0 %"));
  std::int64_t parts_ns = 0;
  for (std::size_t i = 0; i < 3; ++i)
    parts_ns += std::get<Duration>(section.table.rows[i].cells[3]).duration_ns;
  EXPECT_EQ(parts_ns, std::get<Duration>(section.table.rows[3].cells[3]).duration_ns);
}

TEST_F(StepSectionsTest, without_steps_the_breakdown_is_of_the_whole_trace) {
  summary_.has_steps = false;
  summary_.steps.resize(1);
  const Document report = document(only(View::kSteps));
  const Section& section = report.sections.front();
  EXPECT_EQ(section.title, "Where the time of the trace went");
  EXPECT_EQ(table_texts(section.table).back()[0], "trace");
  EXPECT_TRUE(report.sections[1].table.rows.empty());
}

TEST_F(StepSectionsTest, every_step_has_its_start_in_the_trace_and_its_account) {
  const auto texts = table_texts(steps(only(View::kSteps)).table);
  ASSERT_EQ(texts.size(), 2u);
  EXPECT_THAT((std::vector<std::string>(texts[0].begin() + 1, texts[0].begin() + 7)),
              ElementsAre("step", "1.00 ms", "10.0 ms", "", "steady", "5.00 ms"));
  EXPECT_THAT((std::vector<std::string>(texts[1].begin() + 1, texts[1].begin() + 7)),
              ElementsAre("step", "11.0 ms", "20.0 ms", "longest", "steady", "10.0 ms"));
}

TEST_F(StepSectionsTest, of_many_steps_the_slowest_are_shown_in_their_order) {
  set_lengths({3'000, 9'000, 1'000, 7'000, 7'000, 2'000});
  TableOptions options = only(View::kSteps);
  options.top = 2;
  const Section section = steps(options);
  const auto texts = table_texts(section.table);
  ASSERT_EQ(texts.size(), 2u);
  EXPECT_EQ(texts[0][1], "step#2");
  EXPECT_EQ(texts[1][1], "step#4") << "the first of the two equal ones";
  EXPECT_EQ(section.table.rows_left_out, 4u);
  EXPECT_EQ(section.table.left_out, "4 more, 13.0 ms in all, are faster (--top all shows them)");
  EXPECT_THAT(section.lead, HasSubstr("Of 6 steps, the 2 slowest are shown."));
}

TEST_F(StepSectionsTest, a_step_is_the_longest_only_if_it_stands_out) {
  set_lengths({1'000, 1'000, 1'050, 1'000});
  EXPECT_THAT(marked(), ElementsAre(2));
  set_lengths({1'000, 1'000, 1'049, 1'000});
  EXPECT_THAT(marked(), ElementsAre());
  set_lengths({1'000, 1'000, 1'000});
  EXPECT_THAT(marked(), ElementsAre()) << "all are equal";
  set_lengths({1'000, 2'000, 2'000, 1'000, 1'000});
  EXPECT_THAT(marked(), ElementsAre()) << "two are";
}

TEST_F(StepSectionsTest, averages_leave_warm_up_out_and_say_so) {
  set_lengths({90'000, 20'000, 1'000, 1'000, 1'000, 1'040});
  summary_.warm_up.cycles = 2;
  const Document report = document(only(View::kSteps));
  const std::string text = render_text(report, {.width = 100});
  EXPECT_THAT(text, HasSubstr("steps       6  1.01 ms on average, 1.00 ms to 1.04 ms"));
  EXPECT_THAT(text, HasSubstr("warm-up     2  the first steps, 110 ms in all: averages per step "
                              "leave them out"));
  EXPECT_THAT(report.sections[0].lead, HasSubstr("The warm-up, 2 steps of 110 ms in all, is left"));
  EXPECT_EQ(table_texts(report.sections[0].table).back()[2], "1.01 ms");
  const auto texts = table_texts(report.sections[1].table);
  EXPECT_EQ(texts[0][4], "warm-up");
  EXPECT_EQ(texts[1][4], "warm-up");
  EXPECT_EQ(texts[2][4], "");
  EXPECT_THAT(marked(), ElementsAre()) << "the longest is looked for among the others";
  const std::string json = render_json(report);
  EXPECT_THAT(json, HasSubstr("\"warm_up_steps\": 2"));
  EXPECT_THAT(json, HasSubstr("\"duration_ns\":20000000,\"state\":\"warm_up\""));
  EXPECT_THAT(json, HasSubstr("\"duration_ns\":1040000,\"state\":\"steady\""));
}

TEST_F(StepSectionsTest, the_mark_is_for_people_and_starts_are_relative_for_tools) {
  const Document report = document(only(View::kSteps));
  const std::string text = render_text(report, {.width = 100});
  EXPECT_THAT(text, HasSubstr("20.0 ms  longest"));
  EXPECT_THAT(text, HasSubstr("  remark "));
  EXPECT_THAT(render_json(report), Not(HasSubstr("longest")));
  EXPECT_THAT(render_json(report), HasSubstr("\"start_ns\":11000000"));
}

TEST_F(StepSectionsTest, without_a_mark_there_is_no_column_for_it) {
  set_lengths({1'000, 1'000});
  EXPECT_THAT(render_text(document(only(View::kSteps)), {.width = 100}), Not(HasSubstr("remark")));
}

TEST_F(StepSectionsTest, a_single_step_is_in_the_head_already) {
  summary_.steps.resize(1);
  const Document report = document();
  EXPECT_EQ(report.sections[1].key, "steps");
  EXPECT_TRUE(report.sections[1].for_tools);
  EXPECT_FALSE(steps(only(View::kSteps)).for_tools);
}

TEST_F(StepSectionsTest, cycles_that_were_found_are_not_called_steps) {
  summary_.cycles = {"a host range that recurs", "decode"};
  for (auto& step : summary_.steps) step.name.clear();
  const std::string text = render_text(document(only(View::kSteps)), {.width = 100});
  EXPECT_THAT(text, HasSubstr("Where the average cycle went"));
  EXPECT_THAT(text, HasSubstr("  cycles      2  15.0 ms on average"));
  EXPECT_THAT(text, HasSubstr("  found by    a host range that recurs: decode"));
  EXPECT_THAT(text, HasSubstr("\n  cycle 1 "));
  EXPECT_THAT(text, Not(HasSubstr("per step")));
}

}  // namespace
}  // namespace strobe::report
