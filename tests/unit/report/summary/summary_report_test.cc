#include "strobe/report/summary/summary_report.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <utility>

#include "strobe/report/render/render.h"
#include "tests/unit/report/summary/summary_sketch.h"

namespace strobe::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class SummaryReportTest : public SummarySketch {};

TEST_F(SummaryReportTest, the_head_says_what_was_recorded) {
  const std::string text = render_text(document(only(View::kPerf)), {.width = 80});
  EXPECT_EQ(text,
            "strobe summary: where the time went\n"
            "  trace       run.json\n"
            "  written by  sketch\n"
            "  device      Sketch 100 (132 multiprocessors, 80.0 GiB)\n"
            "  span        40.0 ms  from the first slice to the last\n"
            "  slices      3\n"
            "  steps       2  15.0 ms on average, 10.0 ms to 20.0 ms\n"
            "  GPU busy    40.0 %\n"
            "              of the span: 16.0 ms with kernels, copies or memsets running\n");
}

TEST_F(SummaryReportTest, the_head_of_chosen_steps_says_what_its_numbers_are_of) {
  summary_.span_ns = 30'000'000;
  const std::string text = render_text(document(only(View::kPerf)), {.width = 80});
  EXPECT_THAT(text, HasSubstr("  span        30.0 ms  the time of the chosen steps\n"));
  EXPECT_THAT(text, HasSubstr("of the chosen steps: 16.0 ms with kernels"));
}

TEST_F(SummaryReportTest, the_head_of_a_run_with_samples_alone_shows_how_long_they_go) {
  trace_ = Sketch()
               .thread(1)
               .counter("host_load", "host_load", 5'000'000, 1)
               .counter("host_load", "host_load", 2'005'000'000, 1)
               .trace();
  summary_ = {};
  EXPECT_THAT(render_text(document(only(View::kPerf)), {}),
              HasSubstr("  span        2.00 s  from the first sample to the last\n"));
  EXPECT_THAT(
      render_text(
          summary_document({rank("rank 0"), rank("rank 1")}, summary_, {}, only(View::kPerf)), {}),
      HasSubstr("2.00 s  from the first sample to the last, of the longest rank\n"));
}

TEST_F(SummaryReportTest, the_head_of_several_ranks_adds_up_their_spans) {
  const std::string text = render_text(
      summary_document({rank("rank 0"), rank("rank 1")}, summary_, {}, only(View::kPerf)), {});
  EXPECT_THAT(text, HasSubstr("steps       4  2 per rank, 15.0 ms on average"));
  EXPECT_THAT(text, HasSubstr("of the spans of all 2 ranks (80.0 ms): 32.0 ms with kernels"));
}

TEST_F(SummaryReportTest, the_head_of_several_devices_says_how_many) {
  summary_.devices.push_back(summary_.devices[0]);
  EXPECT_THAT(render_text(document(only(View::kPerf)), {}),
              HasSubstr("of the span on 2 devices (80.0 ms): 32.0 ms with kernels"));
}

TEST_F(SummaryReportTest, the_head_doubts_traces_that_are_no_run) {
  Sketch sketch;
  sketch.metadata().traits.dialect = "other";
  const Trace foreign = sketch.slice("op", SliceKind::kOperator, 0, 10).trace();
  RankInput other = rank("b.json");
  other.trace = &foreign;
  const std::string text =
      render_text(summary_document({rank("a.json"), other}, summary_, {}, only(View::kPerf)), {});
  EXPECT_THAT(text, HasSubstr("  written by  sketch, other\n"));
  EXPECT_THAT(text, HasSubstr("they do not look like one run: they were written by sketch and "
                              "other"));
}

TEST_F(SummaryReportTest, a_page_is_titled_with_the_file) {
  RankInput in_folder = rank("runs/7/run.json");
  const Document one = summary_document({in_folder}, summary_, {}, only(View::kPerf));
  EXPECT_EQ(one.subject, "run.json");
  const Document two =
      summary_document({rank("rank 0"), rank("rank 1")}, summary_, {}, only(View::kPerf));
  EXPECT_EQ(two.subject, "2 ranks");
}

TEST_F(SummaryReportTest, only_the_views_asked_for_are_there) {
  EXPECT_THAT(keys(document(only(View::kKernel))), ElementsAre("kernels", "import"));
  EXPECT_THAT(keys(document(only(View::kSteps))), ElementsAre("step_breakdown", "steps", "import"));
}

TEST_F(SummaryReportTest, three_findings_on_the_page_and_all_when_verbose) {
  std::vector<analysis::Finding> findings(5);
  for (std::size_t i = 0; i < findings.size(); ++i)
    findings[i].headline = "finding" + std::to_string(i);
  const auto page = [&](bool verbose) {
    return render_text(
        summary_document({rank("run.json")}, summary_, findings, only(View::kPerf), verbose), {});
  };
  EXPECT_THAT(page(false), HasSubstr("finding2"));
  EXPECT_THAT(page(false), Not(HasSubstr("finding3")));
  EXPECT_THAT(page(false), HasSubstr("… 2 of less weight"));
  EXPECT_THAT(page(true), HasSubstr("finding4"));
}

TEST_F(SummaryReportTest, a_trace_without_anything_is_still_a_report) {
  const Trace trace = TraceBuilder().build();
  const Summary summary;
  const Document report =
      summary_document({{"empty.json", &trace, &summary, &import_, {}, {}}}, summary, {}, {});
  const std::string text = render_text(report, {});
  EXPECT_THAT(text, HasSubstr("slices"));
  EXPECT_THAT(text, Not(HasSubstr("steps"))) << "there is nothing to be divided";
}

// Scripts get the same tables for every trace; people do not see the empty ones.
TEST_F(SummaryReportTest, a_table_without_rows_is_for_tools) {
  const Document report = document();
  const auto memory = std::find_if(report.sections.begin(), report.sections.end(),
                                   [](const Section& section) { return section.key == "memory"; });
  ASSERT_NE(memory, report.sections.end());
  EXPECT_TRUE(memory->for_tools);
  EXPECT_THAT(render_json(report), HasSubstr("\"memory\": {"));
}

TEST_F(SummaryReportTest, a_view_asked_for_in_vain_is_answered) {
  EXPECT_THAT(render_text(document(only(View::kMemory)), {}),
              HasSubstr("No allocation was recorded here"));
}

TEST_F(SummaryReportTest, a_page_about_the_host_alone_does_not_speak_of_a_device) {
  summary_.devices.clear();
  summary_.kernels.clear();
  for (auto& step : summary_.steps) {
    step.label_ns[static_cast<int>(StepLabel::kHost)] =
        std::exchange(step.label_ns[static_cast<int>(StepLabel::kKernel)], 0);
  }
  summary_.has_model = true;
  summary_.phases = {{SliceKind::kForward, {2, 12'000'000, 0, 0}, {}, {}}};
  summary_.user_ranges = {{"", {{"frame", {1, 1'000, 1'000, 1'000}, {}, 500}}}};
  const std::string text = render_text(document(), {});
  EXPECT_THAT(text, Not(HasSubstr("GPU")));
  EXPECT_THAT(text, HasSubstr("host in other recorded code"));
}

}  // namespace
}  // namespace strobe::report
