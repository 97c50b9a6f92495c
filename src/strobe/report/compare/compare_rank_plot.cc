#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "strobe/report/compare/compare_numbers.h"
#include "strobe/report/compare/compare_plots.h"
#include "strobe/report/compare/compare_verdict.h"
#include "strobe/report/render/display_text.h"
#include "strobe/report/render/svg_plot.h"

namespace strobe::report {
namespace {

using compare::FunctionRow;

constexpr std::size_t kRankMostFunctions = 16;
constexpr std::size_t kMostRanks = 16;  // wider, and the numbers in the cells do not fit
constexpr std::size_t kRankNameColumns = 44;
constexpr double kRankLeft = 360;
constexpr double kCell = 44;
constexpr double kCellHeight = 26;
constexpr double kRankTop = 34;

// Five steps of shade; the number in the cell says it exactly.
std::string shade_of(double ratio) {
  const double size = std::abs(std::log2(ratio));
  const int step = size < 0.03 ? 0 : size < 0.15 ? 1 : size < 0.5 ? 2 : size < 1 ? 3 : 4;
  return fmt::format("heat {}{}", ratio < 1 ? "cold" : "warm", step);
}

const FunctionRow* row_of(const compare::Comparison& comparison, const FunctionRow& like,
                          std::int32_t rank) {
  const auto row = std::ranges::find_if(comparison.functions, [&](const FunctionRow& one) {
    return one.rank == rank && one.key.name == like.key.name && one.key.kind == like.key.kind &&
           one.type == like.type;
  });
  return row == comparison.functions.end() ? nullptr : &*row;
}

}  // namespace

std::string rank_plot(const compare::Comparison& comparison) {
  std::set<std::int32_t> ranks;
  for (const FunctionRow& row : comparison.functions) ranks.insert(row.rank);
  if (ranks.size() < 2) return {};
  std::vector<const FunctionRow*> functions;
  std::set<std::tuple<std::string, compare::FunctionKind, analysis::CycleType>> seen;
  for (const FunctionRow* row : drawn_functions(comparison, comparison.functions.size())) {
    if (functions.size() == kRankMostFunctions) break;
    if (seen.insert({row->key.name, row->key.kind, row->type}).second) functions.push_back(row);
  }
  const std::vector<std::int32_t> shown(
      ranks.begin(),
      std::next(ranks.begin(), static_cast<std::ptrdiff_t>(std::min(ranks.size(), kMostRanks))));
  const double bottom = kRankTop + kCellHeight * static_cast<double>(functions.size());
  SvgPlot plot(kPlotWidth, bottom + 12, "slowdown by function and rank");
  for (std::size_t c = 0; c < shown.size(); ++c) {
    plot.text(kRankLeft + kCell * (static_cast<double>(c) + 0.5), kRankTop - 10,
              fmt::format("rank {}", shown[c]), Anchor::kMiddle, "tick");
  }
  std::vector<NameToFit> names;
  for (const FunctionRow* row : functions) names.push_back({row->key.name, kRankNameColumns});
  const std::vector<std::string> fitted = fit_names(names);
  for (std::size_t r = 0; r < functions.size(); ++r) {
    const double y = kRankTop + kCellHeight * static_cast<double>(r);
    plot.text(kRankLeft - 12, y + 17, fitted[r], Anchor::kEnd, "name", functions[r]->key.name);
    for (std::size_t c = 0; c < shown.size(); ++c) {
      const FunctionRow* row = row_of(comparison, *functions[r], shown[c]);
      if (row == nullptr) continue;
      const double ratio = row->ms.abnormal_median / row->ms.normal_median;
      if (!std::isfinite(ratio) || ratio <= 0) continue;
      const double x = kRankLeft + kCell * static_cast<double>(c);
      plot.rect(x + 1, y + 1, kCell - 2, kCellHeight - 2,
                shade_of(ratio) + (is_changed(*row) ? " sure" : ""),
                fmt::format("{}, rank {}: {}; q {}, {}", row->key.name, row->rank,
                            time_story(row->ms), p_text(row->beta.q), verdict_text(*row)));
      plot.text(x + kCell / 2, y + 17, fmt::format("{:.2f}", ratio), Anchor::kMiddle, "cell");
    }
  }
  return std::move(plot).svg();
}

}  // namespace strobe::report
