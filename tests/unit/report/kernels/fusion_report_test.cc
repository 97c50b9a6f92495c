#include "strobe/report/kernels/fusion_report.h"

#include <gmock/gmock.h>
#include <simdjson.h>

#include "strobe/report/render/render.h"
#include "tests/unit/report/kernels/launch_list.h"

namespace strobe::report {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(FusionReportTest, chains_stand_by_their_saving_with_their_kernels) {
  const KernelTable table = test::layered_sketch();
  const Document document = fusion_document(analysis::study_kernels(table), {.top = 1});
  ASSERT_THAT(document.sections, SizeIs(2));
  // Twice 30 + 40 + 20 us around the softmax, of which 40 would stay.
  const Table& chains = document.sections[0].table;
  EXPECT_EQ(cell_text(chains.rows[0].cells[5]), "100 us");
  EXPECT_THAT(document.sections[1].table.rows, SizeIs(3));
  EXPECT_EQ(cell_text(document.sections[1].table.rows[1].cells[0]), "softmax_warp_forward");
  EXPECT_THAT(chains.left_out, HasSubstr("more, saving"));
  EXPECT_THAT(document.verdict[0], HasSubstr("launches in 3 chains take"));
}

TEST(FusionReportTest, nothing_to_fuse_is_said) {
  const KernelTable table = test::kernel_sketch({{"gemm", 60'000, 80, 10}});
  const Document document = fusion_document(analysis::study_kernels(table), {});
  EXPECT_THAT(document.sections, IsEmpty());
  EXPECT_THAT(document.verdict[0], HasSubstr("nothing to fuse"));
  EXPECT_THAT(fusion_html(analysis::study_kernels(table), {}), HasSubstr("Nothing to fuse"));
}

TEST(FusionReportTest, json_and_csv_have_the_same_chains) {
  const KernelTable table = test::layered_sketch();
  const analysis::KernelStudy study = analysis::study_kernels(table);
  simdjson::dom::parser parser;
  const std::string text = fusion_json(study, {});
  const simdjson::dom::element json = parser.parse(text);
  EXPECT_EQ(json["chains"].get_array().size(), study.fusion.groups.size());
  EXPECT_EQ(std::int64_t(json["chains"].at(0)["saved_ns"]), 100'000);
  EXPECT_EQ(std::int64_t(json["chains"].at(0)["kernels"].at(1)["latency_ns"]), 80'000);
  EXPECT_THAT(fusion_csv(study, {.top = 1}), HasSubstr(",3,2,180000,100000,"));
}

}  // namespace
}  // namespace strobe::report
