#include "strobe/report/compare/compare_plots.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "strobe/report/compare/compare_numbers.h"
#include "strobe/report/compare/compare_verdict.h"
#include "strobe/report/compare/side_names.h"
#include "strobe/report/render/display_text.h"
#include "strobe/report/render/svg_plot.h"

namespace strobe::report {
namespace {

using compare::CycleRow;
using compare::FunctionRow;

constexpr std::size_t kFunctionNameColumns = 40;
constexpr double kFunctionLeft = 356;
constexpr double kFunctionRight = kPlotWidth - 246;
constexpr double kRowHeight = 24;
constexpr double kFunctionTop = 12;

// The medians and the ends of the interval, which is drawn from the normal median.
std::vector<double> drawn_times(const compare::Change& ms) {
  std::vector<double> times;
  if (ms.normal.n > 0) times.push_back(ms.normal_median);
  if (ms.abnormal.n > 0) times.push_back(ms.abnormal_median);
  if (has_interval(ms.shift)) {
    times.push_back(ms.normal_median + ms.shift.low);
    times.push_back(ms.normal_median + ms.shift.high);
  }
  return times;
}

// Times of functions span decades; on a linear axis all but the largest would overlap. Values below
// a millionth of the largest are drawn at the left border.
Scale scale_for(const std::vector<const FunctionRow*>& rows) {
  double low = std::numeric_limits<double>::infinity();
  double high = 0;
  for (const FunctionRow* row : rows) {
    for (const double ms : drawn_times(row->own_ms())) {
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
  const compare::Change& ms = row.own_ms();
  const std::string title =
      fmt::format("{} on {}: {}", row.key.name, row.key.device, time_story(ms));
  plot.text(kFunctionLeft - 14, y + 4, name, Anchor::kEnd, "name", title);
  const double normal = x.at(ms.normal_median);
  const double abnormal = x.at(ms.abnormal_median);
  if (has_interval(ms.shift)) {
    const double from = x.at(ms.normal_median + ms.shift.low);
    const double to = x.at(ms.normal_median + ms.shift.high);
    plot.rect(from, y - 7, std::max(to - from, 1.0), 14, "interval", title);
  }
  plot.line(normal, y, abnormal, y, "pair");
  plot.circle(normal, y, 4.5, "n", title);
  plot.diamond(abnormal, y, 5.5, "a", title);
  plot.text(kFunctionRight + 18, y + 4,
            fmt::format("{} [{}] {}", ms_change_text(ms.shift.shift), ms_interval_text(ms.shift),
                        is_changed(row) ? "" : kNoEvidence),
            Anchor::kStart, "tick");
}

constexpr double kCycleLeft = 116;
constexpr double kCycleRight = kPlotWidth - 24;
constexpr double kLane = 46;
constexpr double kPanel = 2 * kLane + 78;

// Spreads marks of equal cycles, which would hide each other; the same in every drawing.
double spread_of(std::size_t i) { return (static_cast<double>(i * 7 % 11) - 5) * 2.4; }

struct Lane {
  const std::vector<double>& ms;
  double median;
  double y;
  bool is_normal;
  std::string_view label;
};

void draw_lane(SvgPlot& plot, const Scale& x, const Lane& lane) {
  plot.text(kCycleLeft - 12, lane.y + 4, lane.label, Anchor::kEnd, "label");
  for (std::size_t i = 0; i < lane.ms.size(); ++i) {
    const std::string title =
        fmt::format("{}, cycle {}: {}", lane.label, i + 1, time_text(lane.ms[i]));
    const double px = x.at(lane.ms[i]);
    const double py = lane.y + spread_of(i);
    if (lane.is_normal) {
      plot.circle(px, py, 4, "n", title);
    } else {
      plot.diamond(px, py, 5, "a", title);
    }
  }
  const double middle = x.at(lane.median);
  plot.line(middle, lane.y - 19, middle, lane.y + 19, lane.is_normal ? "median n" : "median a");
}

void draw_panel(SvgPlot& plot, const CycleRow& row, const SideNames& names, double top,
                bool names_type) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const auto* side : {&row.ms_normal, &row.ms_abnormal}) {
    for (const double ms : *side) {
      low = std::min(low, ms);
      high = std::max(high, ms);
    }
  }
  for (const double ms : drawn_times(row.ms)) {
    low = std::min(low, ms);
    high = std::max(high, ms);
  }
  const Scale x = Scale::linear(low, high, kCycleLeft, kCycleRight);
  const double normal_y = top + kLane / 2 + 14;
  const double abnormal_y = normal_y + kLane;
  const double bottom = abnormal_y + kLane / 2 + 2;
  plot.axis_below(x, bottom, top + 10,
                  names_type ? fmt::format("milliseconds per cycle, {}", word_of(row.type))
                             : "milliseconds per cycle");
  if (has_interval(row.ms.shift)) {
    const double from = x.at(row.ms.normal_median + row.ms.shift.low);
    const double to = x.at(row.ms.normal_median + row.ms.shift.high);
    plot.rect(
        from, abnormal_y - 19, to - from, 38, "interval",
        "95 % interval of the shift, from the normal median: " + time_interval_text(row.ms.shift));
  }
  draw_lane(plot, x, {row.ms_normal, row.ms.normal_median, normal_y, true, names.normal});
  draw_lane(plot, x, {row.ms_abnormal, row.ms.abnormal_median, abnormal_y, false, names.abnormal});
}

constexpr std::size_t kRankMostFunctions = 16;
constexpr std::size_t kRankNameColumns = 44;
constexpr double kRankLeft = 360;
constexpr double kCell = 44;
constexpr double kCellHeight = 26;
constexpr double kRankTop = 34;

// Five shades; the number in the cell is exact.
std::string shade_of(double ratio) {
  const double size = std::abs(std::log2(ratio));
  const int step = size < 0.03 ? 0 : size < 0.15 ? 1 : size < 0.5 ? 2 : size < 1 ? 3 : 4;
  return fmt::format("heat {}{}", ratio < 1 ? "cold" : "warm", step);
}

const FunctionRow* plot_row_of(const compare::Comparison& comparison, const FunctionRow& like,
                               std::int32_t rank) {
  const auto row = std::ranges::find_if(comparison.functions, [&](const FunctionRow& one) {
    return one.rank == rank && one.key.name == like.key.name && one.key.kind == like.key.kind &&
           one.type == like.type;
  });
  return row == comparison.functions.end() ? nullptr : &*row;
}

}  // namespace

std::vector<const FunctionRow*> drawn_functions(const compare::Comparison& comparison,
                                                std::size_t most) {
  std::vector<const FunctionRow*> rows;
  for (const FunctionRow& row : comparison.functions) rows.push_back(&row);
  if (comparison.order != compare::RankKey::kImpact) {
    std::stable_partition(rows.begin(), rows.end(),
                          [](const FunctionRow* row) { return is_changed(*row); });
  }
  if (rows.size() > most) rows.resize(most);
  return rows;
}

std::string function_plot(const compare::Comparison& comparison) {
  const std::vector<const FunctionRow*> rows = drawn_functions(comparison, kMostFunctionsDrawn);
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
  plot.text(kFunctionRight + 18, bottom + 16, "change in ms [95 % interval]", Anchor::kStart,
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

std::string cycle_plot(const compare::Comparison& comparison) {
  std::vector<const CycleRow*> rows;
  for (const CycleRow& row : comparison.cycles) {
    if (!row.ms_normal.empty() || !row.ms_abnormal.empty()) rows.push_back(&row);
  }
  if (rows.empty()) return {};
  SvgPlot plot(kPlotWidth, kPanel * static_cast<double>(rows.size()),
               "cycle times of both runs, one mark per cycle");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    draw_panel(plot, *rows[i], side_names(comparison), kPanel * static_cast<double>(i),
               rows.size() > 1);
  }
  return std::move(plot).svg();
}

namespace {

// Each once, whatever rank it is on.
std::vector<const FunctionRow*> functions_of_ranks(const compare::Comparison& comparison) {
  std::vector<const FunctionRow*> functions;
  std::set<std::tuple<std::string, compare::FunctionKind, analysis::CycleType>> seen;
  for (const FunctionRow* row : drawn_functions(comparison, comparison.functions.size())) {
    if (functions.size() == kRankMostFunctions) break;
    if (seen.insert({row->key.name, row->key.kind, row->type}).second) functions.push_back(row);
  }
  return functions;
}

void draw_rank_cell(SvgPlot& plot, double x, double y, const FunctionRow& row) {
  const compare::Change& ms = row.own_ms();
  const double ratio = ms.abnormal_median / ms.normal_median;
  if (!std::isfinite(ratio) || ratio <= 0) return;
  plot.rect(x + 1, y + 1, kCell - 2, kCellHeight - 2,
            shade_of(ratio) + (is_changed(row) ? " sure" : ""),
            fmt::format("{}, rank {}: {}; q {}, {}", row.key.name, row.rank, time_story(ms),
                        p_text(shown_q(row)), verdict_text(row)));
  plot.text(x + kCell / 2, y + 17, fmt::format("{:.2f}", ratio), Anchor::kMiddle, "cell");
}

}  // namespace

std::string rank_plot(const compare::Comparison& comparison) {
  std::set<std::int32_t> ranks;
  for (const FunctionRow& row : comparison.functions) ranks.insert(row.rank);
  if (ranks.size() < 2) return {};
  while (ranks.size() > kMostRanksDrawn) ranks.erase(std::prev(ranks.end()));
  const std::vector<const FunctionRow*> functions = functions_of_ranks(comparison);
  const double bottom = kRankTop + kCellHeight * static_cast<double>(functions.size());
  SvgPlot plot(kPlotWidth, bottom + 12, "slowdown by function and rank");
  std::vector<NameToFit> names;
  for (const FunctionRow* row : functions) names.push_back({row->key.name, kRankNameColumns});
  const std::vector<std::string> fitted = fit_names(names);
  for (std::size_t i = 0; i < functions.size(); ++i) {
    plot.text(kRankLeft - 12, kRankTop + kCellHeight * static_cast<double>(i) + 17, fitted[i],
              Anchor::kEnd, "name", functions[i]->key.name);
  }
  double x = kRankLeft;
  for (const std::int32_t rank : ranks) {
    plot.text(x + kCell / 2, kRankTop - 10, fmt::format("rank {}", rank), Anchor::kMiddle, "tick");
    for (std::size_t i = 0; i < functions.size(); ++i) {
      const FunctionRow* row = plot_row_of(comparison, *functions[i], rank);
      const double y = kRankTop + kCellHeight * static_cast<double>(i);
      if (row != nullptr) draw_rank_cell(plot, x, y, *row);
    }
    x += kCell;
  }
  return std::move(plot).svg();
}

}  // namespace strobe::report
