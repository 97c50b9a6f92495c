#include <gmock/gmock.h>

#include "strobe/report/render_text.h"
#include "tests/unit/report/summary_sketch.h"

namespace strobe::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class WorkSectionsTest : public SummarySketch {};

// Self host time 6 + 2 ms, device time launched 6 + 0 ms: nested operators share the same device
// time, so both are 100 % of it.
TEST_F(WorkSectionsTest, operators_show_total_and_self_with_the_base_of_each_share) {
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

TEST_F(WorkSectionsTest, cut_and_filtered_rows_are_accounted_for) {
  TableOptions options = only(View::kKernel);
  options.top = 1;
  Document report = document(options);
  EXPECT_EQ(report.sections.front().table.left_out, "1 more, 3.00 ms of GPU time");
  options.keeps_name = [](std::string_view name) { return name == "none"; };
  report = document(options);
  EXPECT_EQ(report.sections.front().table.rows_left_out, 2u);
  EXPECT_THAT(render_text(report, {}), HasSubstr("… 2 not asked for by name, 15.0 ms"));
}

TEST_F(WorkSectionsTest, threads_kept_apart_are_named_in_a_column) {
  EXPECT_TRUE(document(only(View::kOperator)).sections.front().table.columns[0].for_tools);
  summary_.operators = {{"7", summary_.operators[0].rows}, {"9", summary_.operators[0].rows}};
  const Section section = document(only(View::kOperator)).sections.front();
  EXPECT_FALSE(section.table.columns[0].for_tools);
  EXPECT_EQ(table_texts(section.table)[2][0], "9");
}

}  // namespace
}  // namespace strobe::report
