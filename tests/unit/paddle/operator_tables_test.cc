#include "strobe/paddle/summary_text.h"

#include <gmock/gmock.h>

#include "tests/unit/paddle/flash_attention_summary.h"
#include "tests/unit/paddle/table_text.h"

namespace strobe::paddle {
namespace {

using analysis::SortKey;
using analysis::Summary;
using analysis::TimeUnit;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(OperatorTablesTest, a_long_quintuple_makes_its_column_and_the_line_grow) {
  TableOptions options = only(View::kOperator);
  options.unit = TimeUnit::kMicroseconds;
  const std::string text =
      summary_text(flash_attention_trace(), flash_attention_summary(), options);
  EXPECT_EQ(line_with(text, "flash_attn dygraph"),
            "flash_attn dygraph                                    100     "
            "6205.80 / 62.06 / 108.00 / 59.80 / 91.02  "
            "77802.10 / 778.02 / 783.60 / 770.00 / 100.00  0           ");
  EXPECT_EQ(lines_of(text)[0].size(), 160u);
}

TEST(OperatorTablesTest, threads_apart_nanoseconds_and_minimum_first) {
  TableOptions options = only(ViewSet().with(View::kOperator).with(View::kKernel));
  options.unit = TimeUnit::kNanoseconds;
  options.sort = SortKey::kDeviceMin;
  options.operator_detail = false;
  Summary summary = flash_attention_summary();
  summary.operators[0].thread = "7001";
  const std::string text = summary_text(flash_attention_trace(), summary, options);
  const auto lines = lines_of(text);
  EXPECT_EQ(lines[0].size(), 184u);
  EXPECT_THAT(lines[5], HasSubstr("-Thread: 7001-"));
  EXPECT_EQ(lines[6].substr(0, 17), "transpose dygraph");
  EXPECT_EQ(lines[7].substr(0, 18), "flash_attn dygraph");
  EXPECT_EQ(lines[8].substr(0, 4), "----");
  EXPECT_THAT(line_with(text, "void Eigen"), HasSubstr(" / 55585.33 / "));
  EXPECT_LT(text.find("void Eigen"), text.find("void flash"));
}

TEST(OperatorTablesTest, long_operator_names_stay_whole_and_long_phases_are_cut) {
  Summary summary = flash_attention_summary();
  analysis::OperatorRow& item = summary.operators[0].rows[0];
  item.name = std::string(60, 'o');
  item.phases[0].name = std::string(51, 'p');
  const std::string text = summary_text(flash_attention_trace(), summary, only(View::kOperator));
  EXPECT_THAT(text, HasSubstr("\n" + std::string(60, 'o') + "  100 "));
  EXPECT_THAT(text, HasSubstr("\n  " + std::string(47, 'p') + "...  100 "));
}

TEST(OperatorTablesTest, cut_tables_say_what_they_left_out) {
  TableOptions options = only(ViewSet().with(View::kOperator).with(View::kKernel));
  options.top = 1;
  const std::string text =
      summary_text(flash_attention_trace(), flash_attention_summary(), options);
  EXPECT_THAT(text, HasSubstr("\n... 1 more, 0.61 ms\n"));
  EXPECT_THAT(text, HasSubstr("\n... 1 more, 16.68 ms\n"));
  EXPECT_THAT(text, Not(HasSubstr("transpose")));
  EXPECT_THAT(text, HasSubstr(" / 91.02 "));
}

}  // namespace
}  // namespace strobe::paddle
