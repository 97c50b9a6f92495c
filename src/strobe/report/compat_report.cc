#include "strobe/report/compat_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "strobe/report/aligned_table.h"
#include "strobe/report/compat_cells.h"
#include "strobe/stats/moments.h"

namespace strobe::report {
namespace {

using compare::CompatComparison;
using compare::CompatFinding;
using compare::CompatRow;
using compare::CompatSide;

constexpr std::string_view kMissing = "-";
constexpr double kSignificantP = 0.05;

std::string one_or_both(const std::string& normal, const std::string& abnormal) {
  return normal == abnormal ? normal : normal + " vs " + abnormal;
}

std::string title(const CompatSide& normal, const CompatSide& abnormal) {
  const auto process_of = [](const CompatSide& side) {
    return side.process.empty() ? std::string(kMissing) : side.process;
  };
  return fmt::format("# {} Performance Comparison: {} (PID: {})\n\n",
                     normal.process == abnormal.process ? "Strict" : "Cross",
                     one_or_both(normal.folder, abnormal.folder),
                     one_or_both(process_of(normal), process_of(abnormal)));
}

std::string change_in_percent(double normal, double abnormal) {
  return normal > 0 ? signed_percent((abnormal - normal) / normal * 100) : std::string(kMissing);
}

std::string summary_table(const CompatSide& normal, const CompatSide& abnormal) {
  const auto n_normal = static_cast<std::int64_t>(normal.cycles_us.size());
  const auto n_abnormal = static_cast<std::int64_t>(abnormal.cycles_us.size());
  const double mean_normal = stats::moments_of(normal.cycles_us).mean;
  const double mean_abnormal = stats::moments_of(abnormal.cycles_us).mean;
  std::vector<AlignedColumn> columns(5);
  columns[0] = {"Metric", CellAlignment::kText, {"Total Cycles", "Avg Cycle Time (us)"}};
  columns[1] = {
      "normal", CellAlignment::kText, {std::to_string(n_normal), with_thousands(mean_normal)}};
  columns[2] = {"abnormal",
                CellAlignment::kText,
                {std::to_string(n_abnormal), with_thousands(mean_abnormal)}};
  columns[3] = {
      "Δ (abnormal - normal)",
      CellAlignment::kText,
      {std::to_string(n_abnormal - n_normal), with_thousands(mean_abnormal - mean_normal)}};
  columns[4] = {"Change (%)",
                CellAlignment::kText,
                {std::string(kMissing), change_in_percent(mean_normal, mean_abnormal)}};
  return aligned_table(std::move(columns));
}

// A run with fewer cycles than the other has no time in the last rows; its column then is text, and
// its numbers are written as they are. The original never meant to, but that is how it looks.
AlignedColumn times_column(std::string header, const std::vector<double>& longest_first,
                           std::size_t rows) {
  const bool is_text = longest_first.size() < rows;
  AlignedColumn column{
      std::move(header), is_text ? CellAlignment::kText : CellAlignment::kDecimal, {}};
  for (const double us : longest_first) {
    column.cells.push_back(is_text ? shortest(us) : with_thousands(us));
  }
  column.cells.resize(rows, std::string(kMissing));
  return column;
}

// The k-th longest cycle of one run beside the k-th longest of the other.
std::string cycles_table(std::vector<double> normal_us, std::vector<double> abnormal_us) {
  std::ranges::sort(normal_us, std::ranges::greater());
  std::ranges::sort(abnormal_us, std::ranges::greater());
  const std::size_t rows = std::max(normal_us.size(), abnormal_us.size());
  AlignedColumn ranks{"Time Rank", CellAlignment::kWhole, {}};
  AlignedColumn differences{"Δ (us)", CellAlignment::kText, {}};
  AlignedColumn changes{"Δ (%)", CellAlignment::kText, {}};
  for (std::size_t row = 0; row < rows; ++row) {
    ranks.cells.push_back(std::to_string(row + 1));
    const bool is_paired = row < normal_us.size() && row < abnormal_us.size();
    differences.cells.push_back(is_paired ? with_thousands(abnormal_us[row] - normal_us[row])
                                          : std::string(kMissing));
    changes.cells.push_back(is_paired ? change_in_percent(normal_us[row], abnormal_us[row])
                                      : std::string(kMissing));
  }
  return aligned_table({std::move(ranks), times_column("normal Time (us)", normal_us, rows),
                        times_column("abnormal Time (us)", abnormal_us, rows),
                        std::move(differences), std::move(changes)});
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

std::string rows_table(const std::vector<CompatRow>& rows) {
  using Cell = std::function<std::string(const CompatRow&)>;
  struct Kind {
    std::string_view header;
    CellAlignment alignment;
    Cell cell;
  };
  const auto number = [](double CompatRow::*value, int decimals) -> Cell {
    return [=](const CompatRow& row) { return rounded_twice(row.*value, decimals); };
  };
  const auto grouped = [](double CompatRow::*value) -> Cell {
    return [=](const CompatRow& row) { return with_thousands(row.*value); };
  };
  using enum CellAlignment;
  const Kind kinds[] = {
      {"Function Name", kText, &CompatRow::function},
      {"Metric Name", kText, &CompatRow::metric},
      {"Device", kText, &CompatRow::device},
      {"Suspicion Score", kDecimal, number(&CompatRow::suspicion, 4)},
      {"β_normal(%)", kDecimal, number(&CompatRow::beta_normal, 2)},
      {"β_abnormal(%)", kDecimal, number(&CompatRow::beta_abnormal, 2)},
      {"Δβ(%)", kDecimal, number(&CompatRow::dbeta, 2)},
      {"Z-Score(β)", kDecimal, number(&CompatRow::z_beta, 2)},
      {"p-value(β)", kDecimal, number(&CompatRow::p_beta, 3)},
      {"U-test p(β)", kDecimal, number(&CompatRow::u_beta, 3)},
      {"μ_normal", kText, grouped(&CompatRow::mu_normal)},
      {"μ_abnormal", kText, grouped(&CompatRow::mu_abnormal)},
      {"Δμ", kDecimal, number(&CompatRow::dmu, 2)},
      {"Z-Score(μ)", kDecimal, number(&CompatRow::z_mu, 2)},
      {"Z-Score(log_μ)", kDecimal, number(&CompatRow::z_log_mu, 2)},
      {"p-value(μ)", kDecimal, number(&CompatRow::p_mu, 3)},
      {"U-test p(μ)", kDecimal, number(&CompatRow::u_mu, 3)},
  };
  std::vector<AlignedColumn> columns;
  for (const Kind& kind : kinds) {
    AlignedColumn column{std::string(kind.header), kind.alignment, {}};
    column.cells.reserve(rows.size());
    for (const CompatRow& row : rows) column.cells.push_back(kind.cell(row));
    columns.push_back(std::move(column));
  }
  return aligned_table(std::move(columns));
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
  out += summary_table(normal, abnormal);
  out += "\n\n## 2. Cycle Duration Distribution Comparison\n\n";
  out += cycles_table(normal.cycles_us, abnormal.cycles_us);
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
