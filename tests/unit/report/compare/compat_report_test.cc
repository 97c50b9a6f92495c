#include "strobe/report/compare/compat_report.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strobe::report {
namespace {

using compare::CompatComparison;
using compare::CompatRow;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

CompatRow row_of(double suspicion, double beta_normal, double beta_abnormal, double p) {
  CompatRow row;
  row.function = "void f<a|b>()";
  row.metric = "gpu_frequency";
  row.device = "GPU 7";
  row.suspicion = suspicion;
  row.beta_normal = beta_normal;
  row.beta_abnormal = beta_abnormal;
  row.dbeta = beta_abnormal - beta_normal;
  row.p_beta = p;
  row.mu_normal = 118687.5;
  row.mu_abnormal = 21000;
  row.dmu = -97687.5;
  return row;
}

CompatComparison comparison_of(std::vector<CompatRow> rows) {
  return {{"case", "42", {100.25, 300}}, {"case", "42", {200, 250}}, std::move(rows)};
}

TEST(CompatReportTest, the_title_of_one_process_is_strict) {
  EXPECT_THAT(compat_markdown(comparison_of({})),
              StartsWith("# Strict Performance Comparison: case (PID: 42)\n\n## 1. High-Level"));
}

TEST(CompatReportTest, the_title_of_two_processes_is_cross_and_shows_both) {
  CompatComparison comparison = comparison_of({});
  comparison.abnormal.process = "43";
  EXPECT_THAT(compat_markdown(comparison),
              StartsWith("# Cross Performance Comparison: case (PID: 42 vs 43)\n"));
  comparison.abnormal.folder = "other";
  EXPECT_THAT(compat_markdown(comparison),
              StartsWith("# Cross Performance Comparison: case vs other (PID: 42 vs 43)\n"));
}

TEST(CompatReportTest, as_many_cycles_on_both_sides_make_both_columns_numbers) {
  // The longest of each run side by side: 300 and 250, then 100.25 and 200.
  EXPECT_THAT(
      compat_markdown(comparison_of({})),
      HasSubstr(
          "|   Time Rank |   normal Time (us) |   abnormal Time (us) | Δ (us)   | Δ (%)   |\n"
          "|------------:|-------------------:|---------------------:|:---------|:--------|\n"
          "|           1 |             300.00 |               250.00 | -50.00   | -16.67% |\n"
          "|           2 |             100.25 |               200.00 | 99.75    | +99.50% |\n"));
}

TEST(CompatReportTest, the_run_with_fewer_cycles_has_its_times_as_text) {
  CompatComparison comparison = comparison_of({});
  comparison.normal.cycles_us = {300};
  const std::string report = compat_markdown(comparison);
  EXPECT_THAT(report, HasSubstr("| Total Cycles        | 1        | 2          | 1       "));
  EXPECT_THAT(
      report,
      HasSubstr(
          "|   Time Rank | normal Time (us)   |   abnormal Time (us) | Δ (us)   | Δ (%)   |\n"
          "|------------:|:-------------------|---------------------:|:---------|:--------|\n"
          "|           1 | 300.0              |               250.00 | -50.00   | -16.67% |\n"
          "|           2 | -                  |               200.00 | -        | -       |\n"));
}

TEST(CompatReportTest, a_suspicious_function_is_told_with_its_metrics) {
  const std::string report = compat_markdown(comparison_of({row_of(50, 2.708, 8.617, 0.0001)}));
  EXPECT_THAT(report,
              HasSubstr("driven by changes in **`void f<a|b>()`**. The analysis indicates a "
                        "notable increase in its"));
  EXPECT_THAT(
      report,
      HasSubstr(
          "### Key Findings:\n"
          "- **`void f<a|b>()` on device `GPU 7`:**\n"
          "  - Its contribution to total cycle time (β) **increased** from **2.71%** to **8.62%** "
          "(+5.91 ppt), which is statistically significant (p-value: 0.000).\n"
          "  - This change in cycle time contribution correlates with changes in the following "
          "resource metrics (μ):\n"
          "    - **`gpu_frequency`**: decreased from 118,687.50 to 21,000.00.\n"
          "\n"
          "**Recommendation:** Focus"));
  EXPECT_THAT(report, HasSubstr("cause.\n### Detailed comparison table\nThis table"));
}

TEST(CompatReportTest, a_fall_is_called_a_fall) {
  const std::string report = compat_markdown(comparison_of({row_of(50, 8, 2, 0.01)}));
  EXPECT_THAT(report, HasSubstr("a notable decrease in its contribution"));
  EXPECT_THAT(report, HasSubstr("(β) **decreased** from **8.00%** to **2.00%** (-6.00 ppt)"));
}

TEST(CompatReportTest, a_p_that_proves_nothing_is_said_so) {
  EXPECT_THAT(compat_markdown(comparison_of({row_of(50, 2, 8, 0.05)})),
              HasSubstr("(+6.00 ppt), but the change is not statistically significant (p-value: "
                        "0.050).\n"));
  const double nan = -std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(compat_markdown(comparison_of({row_of(50, 2, 8, nan)})),
              HasSubstr("but the change is not statistically significant (p-value: nan).\n"));
}

TEST(CompatReportTest, a_metric_that_did_not_move_is_not_told) {
  CompatRow row = row_of(50, 2, 8, 0.01);
  row.dmu = 0;
  EXPECT_THAT(compat_markdown(comparison_of({row})), Not(HasSubstr("This change in cycle time")));
}

TEST(CompatReportTest, a_share_above_the_whole_cycle_is_explained) {
  EXPECT_THAT(compat_markdown(comparison_of({row_of(50, 99, 160, 0.01)})),
              HasSubstr("21,000.00.\n"
                        "\n"
                        "*β above 100%: the function ran on several threads or streams at once and "
                        "their times are added.*\n"
                        "\n"
                        "**Recommendation:**"));
  EXPECT_THAT(compat_markdown(comparison_of({row_of(50, 99, 100, 0.01)})),
              Not(HasSubstr("above 100%")));
}

TEST(CompatReportTest, without_a_suspicious_row_the_runs_look_alike) {
  const std::string report = compat_markdown(comparison_of({row_of(10, 2, 2.1, 0.4)}));
  EXPECT_THAT(report,
              HasSubstr("### Overview\n\nNo row reached the suspicion threshold of `10`; "
                        "`normal` and `abnormal` look alike at function level.\n\n### Detailed"));
  EXPECT_THAT(report, Not(HasSubstr("Key Findings")));
  EXPECT_THAT(report, Not(HasSubstr("Recommendation")));
}

TEST(CompatReportTest, a_bar_in_a_name_is_escaped_in_the_table_only) {
  const std::string report = compat_markdown(comparison_of({row_of(50, 2, 8, 0.01)}));
  EXPECT_THAT(report, HasSubstr("\n| void f<a\\|b>()  | gpu_frequency | GPU 7    |"));
  EXPECT_THAT(report, HasSubstr("**`void f<a|b>()` on device"));
}

TEST(CompatReportTest, means_of_metrics_are_text_and_their_difference_a_number) {
  EXPECT_THAT(compat_markdown(comparison_of({row_of(50, 2, 8, 0.01)})),
              HasSubstr("| 118,687.50 | 21,000.00    | -97687.5 |"));
}

compare::CompatComparison one_row() {
  compare::CompatRow row;
  row.function = "f<\"a\", b>";
  row.metric = "gpu_usage";
  row.device = "GPU 7";
  row.n_normal = 7;
  row.n_abnormal = 6;
  row.suspicion = 1.5;
  row.beta_normal = 0.1;
  row.p_mu = std::numeric_limits<double>::quiet_NaN();
  return {{"case", "1", {100.25, 300}}, {"case", "1", {200}}, {row}};
}

TEST(CompatDataTest, json_has_cycles_in_time_order_and_rows_at_full_precision) {
  EXPECT_EQ(
      compat_json(one_row()),
      R"({
  "schema": "strobe.compare.compat",
  "version": 1,
  "cycles": {
    "normal": [
      100.25,
      300
    ],
    "abnormal": [
      200
    ]
  },
  "rows": [
    {"function":"f<\"a\", b>","metric":"gpu_usage","device":"GPU 7","n_normal":7,"n_abnormal":6,)"
      R"("suspicion":1.5,"beta_normal":0.1,"beta_abnormal":0,"dbeta":0,"z_beta":0,"p_beta":1,)"
      R"("u_beta":1,"mu_normal":0,"mu_abnormal":0,"dmu":0,"z_mu":0,"z_log_mu":0,"p_mu":"nan",)"
      R"("u_mu":1}
  ]
}
)");
}

TEST(CompatDataTest, csv_has_the_same_keys_and_quotes_texts) {
  EXPECT_EQ(compat_csv(one_row()),
            "function,metric,device,n_normal,n_abnormal,suspicion,beta_normal,beta_abnormal,dbeta,"
            "z_beta,p_beta,u_beta,mu_normal,mu_abnormal,dmu,z_mu,z_log_mu,p_mu,u_mu\n"
            "\"f<\"\"a\"\", b>\",\"gpu_usage\",\"GPU 7\",7,6,1.5,0.1,0,0,0,1,1,0,0,0,0,0,nan,1\n");
}

TEST(CompatCellsTest, a_number_is_rounded_to_decimals_and_then_to_six_digits) {
  EXPECT_EQ(rounded_twice(1561.72151, 4), "1561.72");
  EXPECT_EQ(rounded_twice(0.1, 2), "0.1");
  EXPECT_EQ(rounded_twice(-0.001, 2), "-0");
  EXPECT_EQ(rounded_twice(1, 3), "1");
  EXPECT_EQ(rounded_twice(66881236.51, 2), "6.68812e+07");
  EXPECT_EQ(rounded_twice(-std::numeric_limits<double>::quiet_NaN(), 3), "nan");
}

TEST(CompatCellsTest, thousands_are_set_off_on_both_sides_of_zero) {
  EXPECT_EQ(with_thousands(999), "999.00");
  EXPECT_EQ(with_thousands(1000), "1,000.00");
  EXPECT_EQ(with_thousands(-123456.789), "-123,456.79");
  EXPECT_EQ(with_thousands(-999.5), "-999.50");
  EXPECT_EQ(with_thousands(1234567890), "1,234,567,890.00");
}

TEST(CompatCellsTest, a_change_always_has_its_sign) {
  EXPECT_EQ(signed_percent(4.659), "+4.66%");
  EXPECT_EQ(signed_percent(-0.31), "-0.31%");
}

TEST(CompatCellsTest, the_shortest_text_of_a_whole_number_keeps_a_zero) {
  EXPECT_EQ(shortest(762219), "762219.0");
  EXPECT_EQ(shortest(1001081.25), "1001081.25");
  EXPECT_EQ(shortest(0.001), "0.001");
}

}  // namespace

}  // namespace strobe::report
