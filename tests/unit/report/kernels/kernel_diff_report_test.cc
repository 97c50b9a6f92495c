#include "strobe/report/kernels/kernel_diff_report.h"

#include <gmock/gmock.h>
#include <simdjson.h>

#include "strobe/report/render/render.h"
#include "tests/unit/report/kernels/launch_list.h"

namespace strobe::report {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

compare::KernelDiff a_diff() {
  compare::KernelDiff diff;
  diff.verdict = "Slower: 100 us -> 130 us.";
  diff.warnings = {"the clocks differ"};
  compare::KernelDiffRow slower;
  slower.name = "gemm";
  slower.family = "gemm";
  slower.before.add(analysis::KernelSample{50'000, 40, 10});
  slower.after.add(analysis::KernelSample{80'000, 25, 6});
  slower.change = compare::KernelChange::kSlower;
  slower.ratio = 1.6;
  slower.ratio_low = 1.5;
  slower.ratio_high = 1.7;
  slower.moved_ns = 30'000;
  compare::KernelDiffRow added;
  added.name = "copy";
  added.family = "copy";
  added.after.add(analysis::KernelSample{10'000, {}, {}});
  added.change = compare::KernelChange::kAdded;
  added.moved_ns = 10'000;
  diff.rows = {slower, added};
  diff.before.add(slower.before);
  diff.after.add(slower.after);
  diff.after.add(added.after);
  return diff;
}

const KernelDiffPage kKernelFiles = {.before = "old/a.csv", .after = "new/b.csv"};

TEST(KernelDiffReportTest, the_verdict_comes_first_and_a_ratio_has_its_interval) {
  const Document document = kernel_diff_document(a_diff(), kKernelFiles);
  EXPECT_EQ(document.title, "strobe kernels diff: b.csv against a.csv");
  EXPECT_EQ(document.verdict[0], "Slower: 100 us -> 130 us.");
  const std::string text = render_text(document, {.width = 140});
  EXPECT_THAT(text, HasSubstr("+30.0 us"));
  EXPECT_THAT(text, HasSubstr("1.60x"));
  EXPECT_THAT(text, HasSubstr("1.50 to 1.70"));
  EXPECT_THAT(text, HasSubstr("40 -> 25 %"));
  EXPECT_THAT(text, HasSubstr("the clocks differ"));
}

TEST(KernelDiffReportTest, one_side_only_has_no_ratio) {
  const std::string csv = kernel_diff_csv(a_diff(), kKernelFiles);
  EXPECT_THAT(csv, StartsWith("name,family,verdict,launches_before,"));
  EXPECT_THAT(csv, HasSubstr("\ncopy,copy,added,0,1,0,10000,10000,,10000,,,,,,,,,\n"));
}

TEST(KernelDiffReportTest, json_has_both_sides_of_every_kernel) {
  simdjson::dom::parser parser;
  const std::string text = kernel_diff_json(a_diff(), kKernelFiles);
  const simdjson::dom::element json = parser.parse(text);
  EXPECT_EQ(std::string_view(json["schema"]), "strobe.kernels.diff");
  EXPECT_EQ(json["kernels"].get_array().size(), 2u);
  EXPECT_EQ(double(json["kernels"].at(0)["ratio_high"]), 1.7);
  EXPECT_TRUE(json["kernels"].at(1)["ratio"].is_null());
  EXPECT_EQ(std::int64_t(json["after"]["latency_ns"]), 90'000);
}

TEST(KernelDiffReportTest, rows_left_out_are_added_up) {
  KernelDiffPage page = kKernelFiles;
  page.top = 1;
  const Document document = kernel_diff_document(a_diff(), page);
  EXPECT_EQ(document.sections.back().table.left_out, "1 more, +10.0 us together");
  EXPECT_THAT(kernel_diff_html(a_diff(), page), HasSubstr("50.0 us -&gt; 90.0 us"));
}

}  // namespace
}  // namespace strobe::report
