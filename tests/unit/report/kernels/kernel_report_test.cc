#include "strobe/report/kernels/kernel_report.h"

#include <algorithm>

#include <gmock/gmock.h>

#include "strobe/report/render/render.h"
#include "tests/unit/report/kernels/launch_list.h"

namespace strobe::report {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

std::vector<std::string> keys_of(const Document& document) {
  std::vector<std::string> keys;
  for (const Section& section : document.sections) keys.push_back(section.key);
  return keys;
}

const Section& section_of(const Document& document, std::string_view key) {
  return *std::ranges::find(document.sections, key, &Section::key);
}

std::vector<std::string> column_keys(const Table& table) {
  std::vector<std::string> keys;
  for (const Column& column : table.columns) keys.push_back(column.key);
  return keys;
}

std::string plain_text_of(const Document& document, int width = 100) {
  return render_text(document, {.width = width, .unicode = false});
}

TEST(KernelReportTest, the_verdict_says_time_limit_and_headroom) {
  const KernelTable table =
      test::kernel_sketch({{"gemm", 60'000, 80, 10}, {"add_elementwise", 40'000, 0, 70}});
  const auto verdict = kernel_verdict(analysis::study_kernels(table));
  ASSERT_GE(verdict.size(), 3u);
  // Tensor 80 % of 60 us, DRAM (6 + 28) of 100 us.
  EXPECT_EQ(
      verdict[0],
      "2 launches take 100 us: the matrix pipe (Tensor) is busy for 48.0 % of it, DRAM runs at "
      "34.0 % of its peak rate.");
  EXPECT_EQ(verdict[1],
            "60.0 % of the time is in tensor-bound kernels (the matrix pipe is busy), 40.0 % in "
            "dram-bound kernels (DRAM is busy).");
  // 60 x 0.2 + 40 x 0.3 = 24 us; at 0.9: 60 x (1 - 8/9) + 40 x (1 - 7/9) = 15.6 us.
  EXPECT_THAT(verdict[2], StartsWith("At most 24.0 us (24.0 % of the time)"));
  EXPECT_THAT(verdict[2], HasSubstr("; 15.6 us (15.6 %) could be saved at 90 % of that peak"));
}

TEST(KernelReportTest, without_counters_no_limit_is_claimed) {
  const KernelTable table = test::kernel_sketch({{"gemm", 60'000, {}, {}}});
  const Document document = kernel_document(analysis::study_kernels(table), {});
  EXPECT_THAT(document.verdict[0], HasSubstr("without counters it is unknown what limits them"));
  EXPECT_THAT(keys_of(document), Not(Contains("classes")));
  EXPECT_THAT(column_keys(section_of(document, "groups").table), Not(Contains("dram_share")));
  EXPECT_THAT(plain_text_of(document), Not(HasSubstr("Tensor")));
}

TEST(KernelReportTest, sections_come_in_one_order) {
  const KernelTable table = test::layered_sketch();
  EXPECT_THAT(keys_of(kernel_document(analysis::study_kernels(table), {})),
              ElementsAre("warnings", "groups", "families", "classes", "structure", "short_kernels",
                          "work_units", "findings"));
}

TEST(KernelReportTest, groups_left_out_are_counted_with_their_time) {
  const KernelTable table =
      test::kernel_sketch({{"gemm", 60'000, 80, 10}, {"a", 30'000, 0, 70}, {"b", 10'000, 0, 70}});
  const analysis::KernelStudy study = analysis::study_kernels(table);
  const Section section = kernel_group_section(study, {.top = 1});
  EXPECT_THAT(section.table.rows, SizeIs(1));
  EXPECT_EQ(section.table.left_out, "2 more: 2 launches, 40.0 us (40.0 % of all)");
  EXPECT_THAT(kernel_group_section(study, {}).table.rows, SizeIs(3));
}

TEST(KernelReportTest, the_structure_names_layers_and_their_times) {
  const KernelTable table = test::layered_sketch();
  const Section section = kernel_structure_section(analysis::study_kernels(table));
  EXPECT_EQ(section.lead, "The same 6 kernels repeat 2 times.");
  EXPECT_THAT(section.table.rows, SizeIs(2));  // prologue and layers; nothing behind
  EXPECT_THAT(section.notes[0], StartsWith("A layer takes 235 us on average"));
}

TEST(KernelReportTest, no_line_is_wider_than_100_columns) {
  const KernelTable table = test::layered_sketch();
  std::string text = plain_text_of(kernel_document(analysis::study_kernels(table), {.top = 10}));
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    EXPECT_LE(end, 100u) << text.substr(0, end);
    text.erase(0, end + 1);
  }
}

TEST(KernelReportTest, a_remark_on_the_file_is_a_warning) {
  KernelTable table = test::kernel_sketch({{"gemm", 60'000, 80, 10}});
  table.remarks = {"row 17, 'DRAM': 'abc' is not a number",
                   "row 18, 'DRAM': 'abd' is not a number"};
  const Section section = kernel_warning_section(analysis::study_kernels(table));
  EXPECT_THAT(section.points, Contains(HasSubstr("row 17")));
  EXPECT_THAT(section.points, Contains(HasSubstr("row 18")));

  table.remarks.resize(100, "row 19 was left out");
  EXPECT_THAT(kernel_warning_section(analysis::study_kernels(table)).points.back(),
              HasSubstr("more remarks; --format json has all"));
}

TEST(KernelHtmlTest, one_file_needs_no_other_file_or_server) {
  const KernelTable table = test::layered_sketch();
  const std::string page = kernel_html(analysis::study_kernels(table), {});
  EXPECT_THAT(page, StartsWith("<!doctype html>"));
  EXPECT_THAT(page, Not(HasSubstr("http://")));
  EXPECT_THAT(page, Not(HasSubstr("https://")));
  EXPECT_THAT(page, HasSubstr("<svg"));
  EXPECT_THAT(page, HasSubstr("474 us in 13 launches, "));
  EXPECT_THAT(page, HasSubstr("Kernels by family"));
}

TEST(KernelHtmlTest, names_are_text_everywhere) {
  const KernelTable table = test::kernel_sketch({{"<script>alert(1)</script>", 1000, 50, 50}});
  const std::string page =
      kernel_html(analysis::study_kernels(table), {.names = analysis::KernelNameForm::kFull});
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert"));
}

}  // namespace

}  // namespace strobe::report
