#include <gmock/gmock.h>

#include "tests/unit/report/summary/summary_sketch.h"

namespace strobe::report {
namespace {

using ::testing::ElementsAre;

class ImportSectionTest : public SummarySketch {};

TEST_F(ImportSectionTest, the_import_comes_last_and_only_when_something_is_wrong) {
  EXPECT_TRUE(document(only(View::kKernel)).sections.back().for_tools);
  import_.add(ImportIssue::kCrossingSlices, 5);
  EXPECT_TRUE(document(only(View::kKernel)).sections.back().for_tools);
  import_.add(ImportIssue::kTruncatedFile, 48'213'110, "inside an object");
  const Document report = document(only(View::kKernel));
  EXPECT_THAT(keys(report), ElementsAre("kernels", "import"));
  EXPECT_FALSE(report.sections[1].for_tools);
  EXPECT_THAT(table_texts(report.sections[1].table),
              ElementsAre(ElementsAre("run.json", "lost", "1", "truncated_file",
                                      "the text ends inside the trace; kept what came before",
                                      "48,213,110", "inside an object")));
  EXPECT_EQ(document(only(View::kKernel), true).sections[1].table.rows.size(), 2u);
}

}  // namespace
}  // namespace strobe::report
