#include <gmock/gmock.h>

#include "tests/unit/report/summary/summary_sketch.h"

namespace strobe::report {
namespace {

using ::testing::ElementsAre;

class TimeSectionsTest : public SummarySketch {};

TEST_F(TimeSectionsTest, the_step_breakdown_adds_up_to_a_hundred_percent) {
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

TEST_F(TimeSectionsTest, phases_end_with_the_time_outside_them) {
  summary_.has_model = true;
  summary_.phases = {{SliceKind::kStep, {2, 30'000'000, 0, 0}, {}, {2, 10'000'000, 0, 0}},
                     {SliceKind::kForward, {2, 12'000'000, 0, 0}, {}, {2, 4'000'000, 0, 0}}};
  const auto texts = table_texts(document(only(View::kModel)).sections.front().table);
  EXPECT_THAT(texts[0], ElementsAre("forward", "2", "12.0 ms", "6.00 ms", "40.0 %", "4.00 ms",
                                    "2.00 ms", "40.0 %", "0 ns"));
  EXPECT_THAT(texts[1], ElementsAre("outside these phases", "-", "18.0 ms", "-", "60.0 %", "-", "-",
                                    "-", "-"));
}

TEST_F(TimeSectionsTest, kinds_are_shares_of_the_span_on_both_sides) {
  summary_.host_types = {{SliceKind::kOperator, "", 4, 10'000'000},
                         {SliceKind::kStep, "", 2, 30'000'000}};
  summary_.device_types = {{SliceKind::kKernel, "", 12, 16'000'000}};
  const auto texts = table_texts(document(only(View::kOverview)).sections[1].table);
  EXPECT_THAT(texts, ElementsAre(ElementsAre("host", "step", "2", "30.0 ms", "75.0 %"),
                                 ElementsAre("host", "operator", "4", "10.0 ms", "25.0 %"),
                                 ElementsAre("GPU", "kernel", "12", "16.0 ms", "40.0 %")));
}

TEST_F(TimeSectionsTest, without_steps_the_breakdown_is_of_the_whole_trace) {
  summary_.has_steps = false;
  summary_.steps.resize(1);
  const Document report = document(only(View::kSteps));
  const Section& section = report.sections.front();
  EXPECT_EQ(section.title, "Where the time of the trace went");
  EXPECT_EQ(table_texts(section.table).back()[0], "trace");
  EXPECT_TRUE(report.sections[1].table.rows.empty());
}

TEST_F(TimeSectionsTest, keys_of_every_label_are_identifiers) {
  for (const Section& section : document().sections) {
    for (const Column& column : section.table.columns) {
      EXPECT_EQ(column.key.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"), std::string::npos)
          << column.key;
    }
  }
}

TEST_F(TimeSectionsTest, threads_are_shares_of_the_span) {
  summary_.threads = {{"1", "2", "Renderer / main", false, 3, 10'000'000},
                      {"1", "net", "", true, 1, 30'000'000}};
  const auto texts = table_texts(document(only(View::kOverview)).sections.front().table);
  EXPECT_THAT(texts, ElementsAre(ElementsAre("run.json", "-", "1", "net", "async", "1", "30.0 ms",
                                             "75.0 %", "75.0 %"),
                                 ElementsAre("run.json", "Renderer / main", "1", "2", "thread", "3",
                                             "10.0 ms", "25.0 %", "25.0 %")));
}

}  // namespace
}  // namespace strobe::report
