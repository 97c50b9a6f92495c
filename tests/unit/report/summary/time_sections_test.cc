#include <gmock/gmock.h>

#include "tests/unit/report/summary/summary_sketch.h"

namespace strobe::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TimeSectionsTest : public SummarySketch {};

TEST_F(TimeSectionsTest, phases_end_with_the_time_outside_them) {
  summary_.has_model = true;
  summary_.phases = {{SliceKind::kStep, {2, 30'000'000, 0, 0}, {}, {2, 10'000'000, 0, 0}},
                     {SliceKind::kForward, {2, 12'000'000, 0, 0}, {}, {2, 4'000'000, 0, 0}}};
  summary_.outside_phases_ns = 18'000'000;
  const Section section = document(only(View::kModel)).sections.front();
  const auto texts = table_texts(section.table);
  EXPECT_THAT(section.lead,
              HasSubstr("The shares are of the time of the steps, 30.0 ms, and of the "
                        "GPU time launched in the steps, 10.0 ms."));
  EXPECT_EQ(section.table.columns[9].header, "share of GPU time\nlaunched in steps");
  EXPECT_THAT(texts[0], ElementsAre("forward", "2", "12.0 ms", "6.00 ms", "12.0 ms", "-", "40.0 %",
                                    "4.00 ms", "2.00 ms", "40.0 %", "0 ns"));
  EXPECT_THAT(texts[1], ElementsAre("outside these phases", "-", "18.0 ms", "-", "-", "-", "60.0 %",
                                    "-", "-", "-", "-"));
}

TEST_F(TimeSectionsTest, without_steps_phases_are_parts_of_the_hosts_span) {
  summary_.has_model = true;
  summary_.has_steps = false;
  summary_.devices.clear();
  summary_.phases = {{SliceKind::kForward, {2, 12'000'000, 0, 0}, {}, {}}};
  const Section section = document(only(View::kModel)).sections.front();
  EXPECT_THAT(section.lead, ::testing::EndsWith("The shares are of the time from the host's first "
                                                "slice to its last, 30.0 ms."));
  EXPECT_EQ(section.table.columns[6].header, "share of the\nhost's span");
}

TEST_F(TimeSectionsTest, phases_that_overlap_are_said_to) {
  summary_.has_model = true;
  summary_.phases = {{SliceKind::kForward, {2, 12'000'000, 0, 0}, {}, {}},
                     {SliceKind::kBackward, {2, 12'000'000, 0, 0}, {}, {}}};
  summary_.outside_phases_ns = 10'000'000;
  const Document report = document(only(View::kModel));
  EXPECT_THAT(report.sections.front().notes,
              ElementsAre("Phases overlap: with the time outside, their host times add up to 34.0 "
                          "ms in 30.0 ms of steps."));
}

// The chosen steps are shorter than the trace, which has 40 ms.
TEST_F(TimeSectionsTest, shares_of_chosen_steps_say_so) {
  summary_.span_ns = 32'000'000;
  const Section devices = document(only(View::kDevice)).sections.front();
  EXPECT_EQ(table_texts(devices.table)[0][7], "50.0 %");
  EXPECT_EQ(devices.table.columns[7].header, "busy share\nof steps");
  EXPECT_EQ(devices.table.columns[7].share_of, "time of the chosen steps");
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

TEST_F(TimeSectionsTest, keys_of_every_label_are_identifiers) {
  for (const Section& section : document().sections) {
    for (const Column& column : section.table.columns) {
      EXPECT_EQ(column.key.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_"),
                std::string::npos)
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
