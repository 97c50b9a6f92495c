#include "strobe/report/compare/compat_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "strobe/report/compare/compat_cells.h"
#include "strobe/report/compare/compat_tables.h"

namespace strobe::report {
namespace {

using compare::CompatComparison;
using compare::CompatFinding;
using compare::CompatRow;
using compare::CompatSide;

constexpr double kSignificantP = 0.05;

std::string one_or_both(const std::string& normal, const std::string& abnormal) {
  return normal == abnormal ? normal : normal + " vs " + abnormal;
}

std::string title(const CompatSide& normal, const CompatSide& abnormal) {
  const auto process_of = [](const CompatSide& side) {
    return side.process.empty() ? "-" : side.process;
  };
  return fmt::format("# {} Performance Comparison: {} (PID: {})\n\n",
                     normal.process == abnormal.process ? "Strict" : "Cross",
                     one_or_both(normal.folder, abnormal.folder),
                     one_or_both(process_of(normal), process_of(abnormal)));
}

std::string overview(const std::vector<CompatFinding>& findings,
                     const std::vector<CompatRow>& rows) {
  if (findings.empty()) {
    return fmt::format(
        "No row reached the suspicion threshold of `{:g}`; `normal` and `abnormal` look alike at "
        "function level.\n\n",
        compare::kCompatThreshold);
  }
  const CompatRow& first = rows[findings.front().row];
  return fmt::format(
      "The primary performance difference between `normal` and `abnormal` appears to be driven by "
      "changes in **`{}`**. The analysis indicates a notable {} in its contribution to total cycle "
      "time.\n\n",
      first.function, first.dbeta > 0 ? "increase" : "decrease");
}

std::string_view moved(double difference) { return difference > 0 ? "increased" : "decreased"; }

std::string finding_text(const CompatFinding& finding, const std::vector<CompatRow>& rows) {
  const CompatRow& first = rows[finding.row];
  std::string out = fmt::format(
      "- **`{}` on device `{}`:**\n"
      "  - Its contribution to total cycle time (β) **{}** from **{:.2f}%** to **{:.2f}%** "
      "({:+.2f} ppt), {} statistically significant (p-value: {:.3f}).\n",
      first.function, first.device, moved(first.dbeta), first.beta_normal, first.beta_abnormal,
      first.dbeta, first.p_beta < kSignificantP ? "which is" : "but the change is not",
      std::abs(first.p_beta));
  if (finding.metric_rows.empty()) return out;
  out +=
      "  - This change in cycle time contribution correlates with changes in the following "
      "resource "
      "metrics (μ):\n";
  for (const std::size_t i : finding.metric_rows) {
    out += fmt::format("    - **`{}`**: {} from {} to {}.\n", rows[i].metric, moved(rows[i].dmu),
                       with_thousands(rows[i].mu_normal), with_thousands(rows[i].mu_abnormal));
  }
  return out;
}

std::string findings_text(const std::vector<CompatFinding>& findings,
                          const std::vector<CompatRow>& rows) {
  if (findings.empty()) return "";
  std::string out = "### Key Findings:\n";
  bool exceeds_cycle = false;
  for (const CompatFinding& finding : findings) {
    out += finding_text(finding, rows);
    const CompatRow& first = rows[finding.row];
    exceeds_cycle |= std::max(first.beta_normal, first.beta_abnormal) > 100;
  }
  if (exceeds_cycle) {
    out +=
        "\n*β above 100%: the function ran on several threads or streams at once and their times "
        "are "
        "added.*\n";
  }
  return out +
         "\n**Recommendation:** Focus investigation on the functions listed above, starting with "
         "the "
         "one with the highest **Suspicion Score**. Examine the interplay between its relative "
         "execution time (β) and the associated resource usage (μ) changes to understand the root "
         "cause.\n";
}

constexpr std::string_view kLegend =
    "## 5. Legend\n"
    "- **β (Beta)**: The percentage of total cycle time consumed by this function.\n"
    "- **μ (Mu)**: The average utilization or counter value of an associated resource during the "
    "function's execution.\n"
    "- **Device**: The device associated with the metric (e.g., GPU ID, CPU core).\n"
    "- **Z-Score(β/log_μ)**: A measure of the statistical significance of a change. A higher "
    "absolute value indicates a more unusual change.\n"
    "- **p-value/U-test p**: The p-value from a statistical test. Lower values (e.g., < 0.05) "
    "suggest the difference is statistically significant.\n"
    "- **Suspicion Score**: A composite score `|Δβ| * (|Z-Score(β)| + |Z-Score(log_μ)|)` to rank "
    "potential issues. **Focus on items with the highest score first.**\n"
    "\n";

}  // namespace

std::string compat_markdown(const CompatComparison& comparison) {
  const auto& [normal, abnormal, rows] = comparison;
  const std::vector<CompatFinding> findings = compare::compat_findings(rows);
  std::string out = title(normal, abnormal);
  out += "## 1. High-Level Performance Summary\n\n";
  out += summary_table(normal.cycles_us, abnormal.cycles_us);
  out += "\n\n## 2. Cycle Duration Distribution Comparison\n\n";
  out += cycles_table(normal.cycles_us, abnormal.cycles_us, MissingTimes::kMakeText);
  out += "\n\n## 3. In-depth Core Metric Comparison\n\n### Overview\n\n";
  out += overview(findings, rows);
  out += findings_text(findings, rows);
  out +=
      "### Detailed comparison table\n"
      "This table aggregates the performance of each (function, metric, device) triplet across "
      "both "
      "runs, sorted by **Suspicion Score** in descending order.\n\n";
  out += rows_table(rows);
  out += "\n\n";
  out += kLegend;
  return out;
}

}  // namespace strobe::report
