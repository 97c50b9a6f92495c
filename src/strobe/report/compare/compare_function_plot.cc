#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "strobe/report/compare/compare_numbers.h"
#include "strobe/report/compare/compare_plots.h"
#include "strobe/report/compare/compare_verdict.h"
#include "strobe/report/render/display_text.h"
#include "strobe/report/render/svg_plot.h"

namespace strobe::report {
namespace {

using compare::FunctionRow;

constexpr std::size_t kFunctionMostFunctions = 20;
constexpr std::size_t kFunctionNameColumns = 40;
constexpr double kFunctionLeft = 356;
constexpr double kFunctionRight = kPlotWidth - 246;
constexpr double kRowHeight = 24;
constexpr double kFunctionTop = 12;

// Times of functions span decades; a line from 0 would crowd all but the largest. What is less than
// a millionth of the largest is drawn at the left border.
Scale scale_for(const std::vector<const FunctionRow*>& rows) {
  double low = std::numeric_limits<double>::infinity();
  double high = 0;
  for (const FunctionRow* row : rows) {
    for (const double ms : {row->ms.normal_median, row->ms.abnormal_median}) {
      high = std::max(high, ms);
      if (ms > 0) low = std::min(low, ms);
    }
  }
  if (!(high > 0)) return Scale::linear(0, 1, kFunctionLeft, kFunctionRight);
  low = std::max(low, high / 1e6);
  return high / low > 30 ? Scale::logarithmic(low, high, kFunctionLeft, kFunctionRight)
                         : Scale::linear(0, high, kFunctionLeft, kFunctionRight);
}

void draw_row(SvgPlot& plot, const Scale& x, const FunctionRow& row, std::string_view name,
              double y) {
  const std::string title =
      fmt::format("{} on {}: {}", row.key.name, row.key.device, time_story(row.ms));
  plot.text(kFunctionLeft - 14, y + 4, name, Anchor::kEnd, "name", title);
  const double normal = x.at(row.ms.normal_median);
  const double abnormal = x.at(row.ms.abnormal_median);
  if (std::isfinite(row.ms.shift.low) && std::isfinite(row.ms.shift.high)) {
    const double from = x.at(row.ms.normal_median + row.ms.shift.low);
    const double to = x.at(row.ms.normal_median + row.ms.shift.high);
    plot.rect(from, y - 7, std::max(to - from, 1.0), 14, "interval", title);
  }
  plot.line(normal, y, abnormal, y, "pair");
  plot.circle(normal, y, 4.5, "n", title);
  plot.diamond(abnormal, y, 5.5, "a", title);
  plot.text(kFunctionRight + 18, y + 4,
            fmt::format("{}  [{}]  {}", ms_change_text(row.ms.shift.shift),
                        ms_interval_text(row.ms.shift), is_changed(row) ? "" : kNoEvidence),
            Anchor::kStart, "tick");
}

}  // namespace

std::vector<const FunctionRow*> drawn_functions(const compare::Comparison& comparison,
                                                std::size_t most) {
  std::vector<const FunctionRow*> rows;
  for (const FunctionRow& row : comparison.functions) rows.push_back(&row);
  std::stable_partition(rows.begin(), rows.end(),
                        [](const FunctionRow* row) { return is_changed(*row); });
  if (rows.size() > most) rows.resize(most);
  return rows;
}

std::string function_plot(const compare::Comparison& comparison) {
  const std::vector<const FunctionRow*> rows = drawn_functions(comparison, kFunctionMostFunctions);
  if (rows.empty()) return {};
  std::vector<NameToFit> names;
  for (const FunctionRow* row : rows) names.push_back({row->key.name, kFunctionNameColumns});
  const std::vector<std::string> fitted = fit_names(names);
  const double bottom = kFunctionTop + kRowHeight * static_cast<double>(rows.size());
  SvgPlot plot(kPlotWidth, bottom + 42,
               "milliseconds per cycle of the first functions, in both runs");
  const bool has_ranks = std::ranges::any_of(
      rows, [&](const FunctionRow* row) { return row->rank != rows.front()->rank; });
  const Scale x = scale_for(rows);
  plot.axis_below(x, bottom, kFunctionTop, "milliseconds per cycle, median");
  plot.text(kFunctionRight + 18, bottom + 16, "change in ms  [95 % interval]", Anchor::kStart,
            "label");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double y = kFunctionTop + kRowHeight * (static_cast<double>(i) + 0.5);
    plot.text(2, y + 4,
              has_ranks ? fmt::format("{}  rank {}", i + 1, rows[i]->rank) : std::to_string(i + 1),
              Anchor::kStart, "tick");
    draw_row(plot, x, *rows[i], fitted[i], y);
  }
  return std::move(plot).svg();
}

}  // namespace strobe::report
