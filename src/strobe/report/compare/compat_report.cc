#include "strobe/report/compare/compat_report.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "strobe/base/csv.h"
#include "strobe/base/json_write.h"
#include "strobe/base/text.h"
#include "strobe/report/render/aligned_table.h"
#include "strobe/stats/moments.h"

namespace strobe::report {
namespace {

using compare::CompatComparison;
using compare::CompatFinding;
using compare::CompatRow;
using compare::CompatSide;

constexpr std::string_view kMissing = "-";

std::string change_in_percent(double normal, double abnormal) {
  return normal > 0 ? signed_percent((abnormal - normal) / normal * 100) : std::string(kMissing);
}

AlignedColumn times_column(std::string header, const std::vector<double>& longest_first,
                           std::size_t rows, MissingTimes missing) {
  const bool is_text = missing == MissingTimes::kMakeText && longest_first.size() < rows;
  AlignedColumn column{
      std::move(header), is_text ? CellAlignment::kText : CellAlignment::kDecimal, {}};
  for (const double us : longest_first) {
    column.cells.push_back(is_text ? shortest(us) : with_thousands(us));
  }
  column.cells.resize(rows, std::string(kMissing));
  return column;
}

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

// f(key, value) for every number of a row, in the order of the columns.
template <class Function>
void for_each_number(const CompatRow& row, Function&& f) {
  f("suspicion", row.suspicion);
  f("beta_normal", row.beta_normal);
  f("beta_abnormal", row.beta_abnormal);
  f("dbeta", row.dbeta);
  f("z_beta", row.z_beta);
  f("p_beta", row.p_beta);
  f("u_beta", row.u_beta);
  f("mu_normal", row.mu_normal);
  f("mu_abnormal", row.mu_abnormal);
  f("dmu", row.dmu);
  f("z_mu", row.z_mu);
  f("z_log_mu", row.z_log_mu);
  f("p_mu", row.p_mu);
  f("u_mu", row.u_mu);
}

void write_number(JsonWriter& json, double number) {
  std::isnan(number) ? json.value("nan") : json.value(number);
}

// One line each, so that grep and diff work on rows.
std::string compat_row_line(const CompatRow& row) {
  std::string line;
  JsonWriter json(line);
  json.begin_object()
      .member("function", row.function)
      .member("metric", row.metric)
      .member("device", row.device)
      .member("n_normal", row.n_normal)
      .member("n_abnormal", row.n_abnormal);
  for_each_number(row, [&](std::string_view key, double number) {
    json.key(key);
    write_number(json, number);
  });
  json.end_object();
  return line;
}

}  // namespace

std::string rounded_twice(double value, int decimals) {
  if (std::isnan(value)) return "nan";
  const std::string fixed = fmt::format("{:.{}f}", value, decimals);
  double rounded = value;  // unchanged if it is infinite
  std::from_chars(fixed.data(), fixed.data() + fixed.size(), rounded);
  return fmt::format("{:g}", rounded);
}

std::string with_thousands(double value) {
  if (std::isnan(value)) return "nan";
  return with_commas(fmt::format("{:.2f}", value));
}

std::string signed_percent(double percent) {
  return std::isnan(percent) ? "nan" : fmt::format("{:+.2f}%", percent);
}

std::string shortest(double value) {
  if (std::isnan(value)) return "nan";
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

std::string summary_table(const std::vector<double>& normal_us,
                          const std::vector<double>& abnormal_us) {
  const auto n_normal = static_cast<std::int64_t>(normal_us.size());
  const auto n_abnormal = static_cast<std::int64_t>(abnormal_us.size());
  const double mean_normal = stats::moments_of(normal_us).mean;
  const double mean_abnormal = stats::moments_of(abnormal_us).mean;
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

std::string cycles_table(std::vector<double> normal_us, std::vector<double> abnormal_us,
                         MissingTimes missing) {
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
  return aligned_table({std::move(ranks),
                        times_column("normal Time (us)", normal_us, rows, missing),
                        times_column("abnormal Time (us)", abnormal_us, rows, missing),
                        std::move(differences), std::move(changes)});
}

std::string rows_table(const std::vector<CompatRow>& rows, std::string_view unknown) {
  using Show = std::function<std::string(const CompatRow&)>;
  struct Kind {
    std::string_view header;
    CellAlignment alignment;
    Show show;
  };
  const auto number = [=](double CompatRow::*value, int decimals) -> Show {
    return [=](const CompatRow& row) {
      return std::isnan(row.*value) ? std::string(unknown) : rounded_twice(row.*value, decimals);
    };
  };
  const auto grouped = [=](double CompatRow::*value) -> Show {
    return [=](const CompatRow& row) {
      return std::isnan(row.*value) ? std::string(unknown) : with_thousands(row.*value);
    };
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
    for (const CompatRow& row : rows) column.cells.push_back(kind.show(row));
    columns.push_back(std::move(column));
  }
  return aligned_table(std::move(columns));
}

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
  out += rows_table(rows, "nan");
  out += "\n\n";
  out += kLegend;
  return out;
}

std::string compat_json(const compare::CompatComparison& comparison) {
  std::string out;
  JsonWriter json(out, JsonLayout::kPretty);
  json.begin_object()
      .member("schema", "strobe.compare.compat")
      .member("version", 1)
      .key("cycles")
      .begin_object();
  for (const auto& [key, side] :
       {std::pair("normal", &comparison.normal), std::pair("abnormal", &comparison.abnormal)}) {
    json.key(key).begin_array();
    for (const double us : side->cycles_us) json.value(us);
    json.end_array();
  }
  json.end_object().key("rows").begin_array();
  for (const CompatRow& row : comparison.rows) json.raw(compat_row_line(row));
  json.end_array().end_object();
  return out + "\n";
}

std::string compat_csv(const compare::CompatComparison& comparison) {
  std::string out = "function,metric,device,n_normal,n_abnormal";
  for_each_number({}, [&](std::string_view key, double) {
    fmt::format_to(std::back_inserter(out), ",{}", key);
  });
  out += "\n";
  CsvWriter csv(out, CsvQuotes::kTexts);
  for (const CompatRow& row : comparison.rows) {
    csv.field(row.function).field(row.metric).field(row.device);
    csv.field(row.n_normal).field(row.n_abnormal);
    for_each_number(row, [&](std::string_view, double number) {
      csv.raw(std::isnan(number) ? "nan" : fmt::format("{}", number));
    });
    csv.end_row();
  }
  return out;
}

}  // namespace strobe::report
