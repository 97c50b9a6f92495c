#include "strobe/report/summary_report.h"

#include <gmock/gmock.h>

#include "strobe/report/render_text.h"
#include "strobe/trace/trace_builder.h"

namespace strobe::report {
namespace {

using analysis::StepLabel;
using analysis::Summary;
using analysis::TableOptions;
using analysis::TimeStat;
using analysis::View;
using analysis::ViewSet;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Trace small_trace() {
  TraceBuilder builder;
  builder.metadata().traits.dialect = "sketch";
  DeviceProperties device;
  device.name = "Sketch 100";
  device.multiprocessors = 132;
  device.memory_bytes = std::int64_t{80} << 30;
  builder.metadata().devices = {device};
  return std::move(builder).build();
}

// Two steps, 10 and 20 ms: 15 ms of kernels, 5 ms in runtime calls, 10 ms of nothing.
Summary small_summary() {
  Summary summary;
  summary.has_steps = true;
  summary.total_ns = 30'000'000;
  summary.extent = {0, 40'000'000};
  for (const std::int64_t unit_ns : {1'000'000, 2'000'000}) {
    analysis::StepRow step;
    step.name = "step";
    step.interval = {0, 10 * unit_ns};
    step.label_ns[static_cast<int>(StepLabel::kKernel)] = 5 * unit_ns;
    step.label_ns[static_cast<int>(StepLabel::kRuntime)] = 5 * unit_ns / 3;
    step.label_ns[static_cast<int>(StepLabel::kIdle)] =
        10 * unit_ns - 5 * unit_ns - 5 * unit_ns / 3;
    summary.steps.push_back(step);
  }
  summary.devices = {{0, 15'000'000, 16'000'000, 12}};
  analysis::OperatorRow add;
  add.name = "add";
  add.host = {4, 8'000'000, 3'000'000, 1'000'000};
  add.device = {4, 6'000'000, 2'000'000, 1'000'000};
  add.self_host_ns = 6'000'000;
  add.self_device_ns = 6'000'000;
  analysis::OperatorRow linear = add;
  linear.name = "linear";
  linear.host.total_ns = 9'000'000;
  linear.self_host_ns = 2'000'000;
  linear.self_device_ns = 0;
  summary.operators = {{"", {add, linear}}};
  summary.kernels = {{"gemm", {10, 12'000'000, 2'000'000, 1'000'000}, false, "linear"},
                     {"copy", {2, 3'000'000, 2'000'000, 1'000'000}, false, ""}};
  return summary;
}

class SummaryReportTest : public ::testing::Test {
 protected:
  RankInput rank(std::string name) { return {std::move(name), &trace_, &summary_, &import_, {}}; }
  Document document(const TableOptions& options = {}, bool verbose = false) {
    return summary_document({rank("run.json")}, summary_, {}, options, verbose);
  }
  static TableOptions only(View view) {
    TableOptions options;
    options.views = ViewSet().with(view);
    return options;
  }
  static std::vector<std::string> keys(const Document& document) {
    std::vector<std::string> keys;
    for (const Section& section : document.sections) keys.push_back(section.key);
    return keys;
  }

  Trace trace_ = small_trace();
  Summary summary_ = small_summary();
  ImportReport import_;
};

TEST_F(SummaryReportTest, the_head_says_what_was_recorded) {
  const std::string text = render_text(document(only(View::kPerf)), {.width = 80});
  EXPECT_EQ(text,
            "strobe summary: where the time went\n"
            "  trace       run.json\n"
            "  written by  sketch\n"
            "  device      Sketch 100 (132 multiprocessors, 80.0 GiB)\n"
            "  span        40.0 ms  from the first slice to the last\n"
            "  slices      0\n"
            "  steps       2  15.0 ms on average, 10.0 ms to 20.0 ms\n"
            "  GPU busy    40.0 %\n"
            "              of the span: 16.0 ms with kernels, copies or memsets running\n");
}

TEST_F(SummaryReportTest, the_step_breakdown_adds_up_to_a_hundred_percent) {
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

// Self host time 6 + 2 ms, device time launched 6 + 0 ms: nested operators share the same device
// time, so both are 100 % of it.
TEST_F(SummaryReportTest, operators_show_total_and_self_with_the_base_of_each_share) {
  const Section section = document(only(View::kOperator)).sections.front();
  const auto texts = table_texts(section.table);
  EXPECT_THAT(
      (std::vector<std::string>(texts[0].begin() + 1, texts[0].begin() + 9)),
      ElementsAre("linear", "4", "9.00 ms", "2.00 ms", "25.0 %", "2.25 ms", "6.00 ms", "100.0 %"));
  EXPECT_EQ(texts[1][1], "add");
  for (const Column& column : section.table.columns) {
    EXPECT_EQ(column.type == ColumnType::kShare, !column.share_of.empty()) << column.key;
  }
}

TEST_F(SummaryReportTest, cut_and_filtered_rows_are_accounted_for) {
  TableOptions options = only(View::kKernel);
  options.top = 1;
  Document report = document(options);
  EXPECT_EQ(report.sections.front().table.left_out, "1 more, 3.00 ms of GPU time");
  options.keeps_name = [](std::string_view name) { return name == "none"; };
  report = document(options);
  EXPECT_EQ(report.sections.front().table.rows_left_out, 2u);
  EXPECT_THAT(render_text(report, {}), HasSubstr("… 2 not asked for by name, 15.0 ms"));
}

TEST_F(SummaryReportTest, only_the_views_asked_for_are_there) {
  EXPECT_THAT(keys(document(only(View::kKernel))), ElementsAre("kernels"));
  EXPECT_THAT(keys(document(only(View::kSteps))), ElementsAre("step_breakdown", "steps"));
  EXPECT_THAT(keys(document(only(View::kMemory))), IsEmpty());
}

TEST_F(SummaryReportTest, several_ranks_get_a_row_each) {
  const Document report =
      summary_document({rank("rank0"), rank("rank1")}, summary_, {}, only(View::kDistributed));
  ASSERT_THAT(keys(report), ElementsAre("ranks"));
  EXPECT_EQ(report.sections[0].table.rows.size(), 2u);
  EXPECT_EQ(table_texts(report.sections[0].table)[1][0], "rank1");
  EXPECT_EQ(report.facts[0].key, "ranks");
}

TEST_F(SummaryReportTest, communication_is_split_into_hidden_and_exposed) {
  summary_.has_communication = true;
  summary_.communication.communication_ns = 10'000'000;
  summary_.communication.overlap_ns = 4'000'000;
  const auto texts = table_texts(document(only(View::kDistributed)).sections.front().table);
  EXPECT_THAT(texts[1], ElementsAre("communication, hidden", "4.00 ms", "10.0 %", "10.0 %"));
  EXPECT_THAT(texts[2], ElementsAre("communication, exposed", "6.00 ms", "15.0 %", "15.0 %"));
}

TEST_F(SummaryReportTest, the_import_comes_last_and_only_when_something_is_wrong) {
  EXPECT_THAT(keys(document(only(View::kKernel))), ElementsAre("kernels"));
  import_.add(ImportIssue::kCrossingSlices, 5);
  EXPECT_THAT(keys(document(only(View::kKernel))), ElementsAre("kernels"));
  import_.add(ImportIssue::kTruncatedFile, 48'213'110, "inside an object");
  const Document report = document(only(View::kKernel));
  EXPECT_THAT(keys(report), ElementsAre("kernels", "import"));
  EXPECT_THAT(table_texts(report.sections[1].table),
              ElementsAre(ElementsAre("run.json", "lost", "1", "truncated_file",
                                      "the text ends inside the trace; kept what came before",
                                      "48,213,110", "inside an object")));
  EXPECT_EQ(document(only(View::kKernel), true).sections[1].table.rows.size(), 2u);
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
      summary_document({{"empty.json", &trace, &summary, &import_, {}}}, summary, {}, {});
  EXPECT_THAT(keys(report), IsEmpty());
  EXPECT_THAT(render_text(report, {}), HasSubstr("none marked"));
}

}  // namespace
}  // namespace strobe::report
