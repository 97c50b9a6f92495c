#include <gmock/gmock.h>

#include <memory>

#include "strobe/report/render/render.h"
#include "tests/unit/report/summary/summary_sketch.h"

namespace strobe::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class WorkSectionsTest : public SummarySketch {};

// The threads are 20 ms in ranges and calls, and the device works 24 ms.
TEST_F(WorkSectionsTest, operators_show_total_and_self_with_the_base_of_each_share) {
  const Section section = document(only(View::kOperator)).sections.front();
  const auto texts = table_texts(section.table);
  EXPECT_THAT((std::vector<std::string>(texts[0].begin() + 1, texts[0].begin() + 11)),
              ElementsAre("linear", "4", "9.00 ms", "2.00 ms", "10.0 %", "2.25 ms", "2.00 ms", "-",
                          "6.00 ms", "25.0 %"));
  EXPECT_EQ(texts[1][1], "add");
  EXPECT_EQ(section.table.columns[5].share_of, "host time of all threads");
  for (const Column& column : section.table.columns) {
    EXPECT_EQ(column.type == ColumnType::kShare, !column.share_of.empty()) << column.key;
  }
}

TEST_F(WorkSectionsTest, a_first_call_that_takes_most_of_the_time_is_taken_out_of_the_average) {
  const auto page = [&] { return render_text(document(only(View::kOperator)), {.width = 140}); };
  EXPECT_THAT(page(), Not(HasSubstr("longest")));
  summary_.operators[0].rows[0].host = {4, 9'000'000, 8'700'000, 100'000};
  EXPECT_THAT(page(), HasSubstr("longest"));
  EXPECT_THAT(page(), HasSubstr("  2.25 ms   100 us"));
  EXPECT_THAT(render_json(document(only(View::kOperator))), Not(HasSubstr("without_longest")));
}

// The start-up calls `add` once, for 5 ms, and launches the kernel `copy`; both are in no steady
// average.
TEST_F(WorkSectionsTest, averages_after_the_start_up_stand_beside_those_of_the_whole) {
  auto steady = std::make_shared<Summary>(summary_);
  steady->operators[0].rows[0].host = {3, 3'000'000, 1'000'000, 1'000'000};
  steady->kernels.pop_back();
  summary_.operators[0].rows[0].host = {4, 8'000'000, 5'000'000, 1'000'000};
  summary_.steady = steady;
  const Document operators = document(only(View::kOperator));
  EXPECT_THAT(render_text(operators, {.width = 140}), HasSubstr("  2.00 ms   1.00 ms"));
  EXPECT_THAT(operators.sections[0].lead,
              HasSubstr("Steady is the average of the calls after the start-up."));
  EXPECT_THAT(render_text(operators, {.width = 140}), Not(HasSubstr("longest")));
  EXPECT_THAT(render_json(operators), HasSubstr("\"steady_per_call_ns\":1000000"));
  const std::string kernels = render_json(document(only(View::kKernel)));
  EXPECT_THAT(kernels, HasSubstr("\"device_per_call_ns\":1200000,\"steady_per_call_ns\":1200000"));
  EXPECT_THAT(kernels, HasSubstr("\"device_per_call_ns\":1500000,\"steady_per_call_ns\":null"));
}

TEST_F(WorkSectionsTest, without_a_start_up_there_is_no_steady_average) {
  const Document report = document(only(View::kKernel));
  EXPECT_THAT(render_text(report, {.width = 140}), Not(HasSubstr("steady")));
  EXPECT_THAT(render_json(report), HasSubstr("\"steady_per_call_ns\":null"));
}

TEST_F(WorkSectionsTest, cut_and_filtered_rows_are_accounted_for) {
  TableOptions options = only(View::kKernel);
  options.top = 1;
  Document report = document(options);
  EXPECT_EQ(report.sections.front().table.left_out,
            "1 more, 3.00 ms of GPU time (--top all shows it)");
  options.keeps_name = [](std::string_view name) { return name == "copy"; };
  options.filter = "^copy$";
  report = document(options);
  EXPECT_EQ(report.sections.front().table.rows_left_out, 1u);
  EXPECT_THAT(render_text(report, {}),
              HasSubstr("… 1 name not matched by '^copy$', 12.0 ms of GPU time"));
}

// "add", with 6 ms of its own, is a part of what "linear" has in all.
TEST_F(WorkSectionsTest, of_operators_left_out_only_self_time_is_added_up) {
  TableOptions options = only(View::kOperator);
  options.top = 1;
  for (const auto key : {analysis::SortKey::kHostTotal, analysis::SortKey::kDeviceTotal}) {
    options.sort = key;
    EXPECT_THAT(document(options).sections.front().table.left_out,
                ::testing::EndsWith(" ms of host self time (--top all shows it)"));
  }
  options.sort = analysis::SortKey::kHostTotal;
  EXPECT_EQ(document(options).sections.front().table.left_out,
            "1 more, 6.00 ms of host self time (--top all shows it)");
}

TEST_F(WorkSectionsTest, kernels_name_the_innermost_operator_and_the_outer_one) {
  const auto texts = table_texts(document(only(View::kKernel)).sections.front().table);
  EXPECT_THAT((std::vector<std::string>(texts[0].begin() + 10, texts[0].begin() + 13)),
              ElementsAre("addmm", "75.0 %", "linear"));
  EXPECT_THAT((std::vector<std::string>(texts[1].begin() + 10, texts[1].begin() + 13)),
              ElementsAre("(outside operators)", "100.0 %", "-"));
}

TEST_F(WorkSectionsTest, ranges_are_shares_of_the_host_time_of_all_threads) {
  summary_.user_ranges = {{"", {{"frame", {1, 18'000'000, 18'000'000, 18'000'000}, {}, 500}}}};
  const Section section = document(only(View::kUserRanges)).sections.front();
  EXPECT_EQ(table_texts(section.table)[0][4], "90.0 %");
  EXPECT_EQ(section.table.columns[4].header, "share of\nhost time");
}

TEST_F(WorkSectionsTest, threads_kept_apart_are_named_in_a_column) {
  EXPECT_TRUE(document(only(View::kOperator)).sections.front().table.columns[0].for_tools);
  summary_.operators = {{"7", summary_.operators[0].rows}, {"9", summary_.operators[0].rows}};
  const Section section = document(only(View::kOperator)).sections.front();
  EXPECT_FALSE(section.table.columns[0].for_tools);
  EXPECT_EQ(table_texts(section.table)[2][0], "9");
}

TEST_F(WorkSectionsTest, a_filter_that_matches_nothing_is_answered) {
  TableOptions options = only(View::kKernel);
  options.keeps_name = [](std::string_view) { return false; };
  options.filter = "none";
  const Document report = document(options);
  EXPECT_EQ(report.sections.front().table.rows_left_out, 2u);
  EXPECT_THAT(render_text(report, {}),
              HasSubstr("No kernel matches 'none': 2 names left out, 15.0 ms of GPU time."));
}

TEST_F(WorkSectionsTest, detail_stands_below_its_operator_on_a_page_and_apart_for_tools) {
  auto& add = summary_.operators[0].rows[0];
  add.phases = {{"compute",
                 SliceKind::kOperatorPhase,
                 {4, 5'000'000, 0, 0},
                 {4, 6'000'000, 0, 0},
                 {{"add_kernel", SliceKind::kKernel, {4, 6'000'000, 0, 0}}}}};
  TableOptions options = only(View::kOperator);
  options.operator_detail = true;
  const Document report = document(options);
  const std::string text = render_text(report, {});
  EXPECT_THAT(text, HasSubstr("\n    compute "));
  EXPECT_THAT(text, HasSubstr("\n      add_kernel "));
  EXPECT_THAT(render_markdown(report), HasSubstr("| &emsp;&emsp;`add_kernel` |"));
  const std::string csv = render_csv(report);
  const std::string operators = csv.substr(0, csv.find("# operator_work"));
  EXPECT_THAT(operators, Not(HasSubstr("compute")));
  EXPECT_THAT(csv, HasSubstr("add,compute,add_kernel,kernel,4"));
}

TEST_F(WorkSectionsTest, a_unit_asked_for_is_everywhere) {
  TableOptions options = only(View::kKernel);
  options.top = 1;
  options.unit = analysis::TimeUnit::kMicroseconds;
  options.one_unit = true;
  const std::string text = render_text(document(options), {});
  EXPECT_THAT(text, HasSubstr("12000.000 us"));
  EXPECT_THAT(text, HasSubstr("1 more, 3000.000 us of GPU time"));
  EXPECT_THAT(text, HasSubstr("15000.000 us on average"));
  EXPECT_THAT(text, Not(HasSubstr(" ms")));
}

}  // namespace
}  // namespace strobe::report
