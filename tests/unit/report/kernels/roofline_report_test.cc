#include "strobe/report/kernels/roofline_report.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <simdjson.h>

#include "strobe/report/kernels/roofline_picture.h"
#include "tests/unit/report/kernels/launch_list.h"

namespace strobe::report {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

analysis::KernelStudy counted_study(const KernelTable& table) {
  analysis::StudyOptions options;
  options.chip = "h200";
  options.flops = 8e14;
  options.dram_bytes_per_s = 4e12;
  return analysis::study_kernels(table, options);
}

const Section* find_section(const Document& document, std::string_view key) {
  const auto found = std::ranges::find(document.sections, key, &Section::key);
  return found == document.sections.end() ? nullptr : &*found;
}

TEST(RooflineReportTest, without_rates_the_shares_are_drawn) {
  const KernelTable table = test::kernel_sketch({{"gemm", 60'000, 80, 10}});
  const Document document = roofline_document(analysis::study_kernels(table), {});
  ASSERT_NE(find_section(document, "shares"), nullptr);
  EXPECT_EQ(find_section(document, "shares")->title, "Shares of the peaks");
  EXPECT_THAT(document.verdict[0], HasSubstr("not known"));
}

TEST(RooflineReportTest, measured_roofs_are_named_as_such) {
  const KernelTable table = test::layered_sketch();
  const analysis::KernelStudy study = counted_study(table);
  const Document document = roofline_document(study, {.top = 2});
  const Section* roofs = find_section(document, "roofs");
  ASSERT_NE(roofs, nullptr);
  // The chip's own f8 roof is the highest; the f16 roof was given by a flag.
  EXPECT_EQ(cell_text(roofs->table.rows[1].cells[1]), "800 TFLOP/s");
  EXPECT_EQ(cell_text(roofs->table.rows[1].cells[2]), "measured");
  EXPECT_THAT(find_section(document, "points")->table.rows, SizeIs(2));
}

TEST(RooflineReportTest, json_and_csv_have_every_point) {
  const KernelTable table = test::layered_sketch();
  const analysis::KernelStudy study = counted_study(table);
  simdjson::dom::parser parser;
  const std::string text = roofline_json(study, {});
  const simdjson::dom::element json = parser.parse(text);
  EXPECT_EQ(std::string_view(json["schema"]), "strobe.kernels.roofline");
  EXPECT_EQ(json["points"].get_array().size(), study.roofline.points.size());
  EXPECT_EQ(std::string_view(json["compute_roofs"].at(1)["source"]), "measured");
  const std::string csv = roofline_csv(study, {.top = 1});
  EXPECT_THAT(csv, StartsWith("name,family,launches,latency_ns,"));
  EXPECT_EQ(std::ranges::count(csv, '\n'), 2);
}

TEST(RooflineReportTest, the_area_of_a_circle_is_the_time) {
  const KernelTable table = test::kernel_sketch({{"gemm", 40'000, 80, 10}, {"add", 10'000, 0, 70}});
  const std::string svg = share_svg(analysis::study_kernels(table), {});
  EXPECT_THAT(svg, HasSubstr("r=\"42.0\""));
  EXPECT_THAT(svg, HasSubstr("r=\"21.0\""));  // a quarter of the time
  EXPECT_THAT(svg, HasSubstr("<title>gemm: 1 launch, 40.0 us (80.0 % of all)"));
}

TEST(RooflineReportTest, the_page_has_the_picture_and_the_points) {
  const KernelTable table = test::layered_sketch();
  const std::string page = roofline_html(counted_study(table), {});
  EXPECT_THAT(page, HasSubstr("<svg"));
  EXPECT_THAT(page, HasSubstr("<h2>Points</h2>"));
}

}  // namespace
}  // namespace strobe::report
