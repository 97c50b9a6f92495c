#include "strobe/report/compare/compat_tables.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include "strobe/report/compare/compat_cells.h"
#include "strobe/report/render/aligned_table.h"
#include "strobe/stats/moments.h"

namespace strobe::report {
namespace {

using compare::CompatRow;

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

}  // namespace

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

std::string rows_table(const std::vector<CompatRow>& rows) {
  using Show = std::function<std::string(const CompatRow&)>;
  struct Kind {
    std::string_view header;
    CellAlignment alignment;
    Show show;
  };
  const auto number = [](double CompatRow::*value, int decimals) -> Show {
    return [=](const CompatRow& row) { return rounded_twice(row.*value, decimals); };
  };
  const auto grouped = [](double CompatRow::*value) -> Show {
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
    for (const CompatRow& row : rows) column.cells.push_back(kind.show(row));
    columns.push_back(std::move(column));
  }
  return aligned_table(std::move(columns));
}

}  // namespace strobe::report
