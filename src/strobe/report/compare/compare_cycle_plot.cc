#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "strobe/report/compare/compare_numbers.h"
#include "strobe/report/compare/compare_plots.h"
#include "strobe/report/render/svg_plot.h"

namespace strobe::report {
namespace {

using compare::CycleRow;

constexpr double kCycleLeft = 96;
constexpr double kCycleRight = kPlotWidth - 24;
constexpr double kLane = 46;
constexpr double kPanel = 2 * kLane + 78;

// Marks of equal cycles would hide each other; the spread is the same in every drawing.
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

void draw_panel(SvgPlot& plot, const CycleRow& row, double top, bool names_type) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const auto* side : {&row.ms_normal, &row.ms_abnormal}) {
    for (const double ms : *side) {
      low = std::min(low, ms);
      high = std::max(high, ms);
    }
  }
  const Scale x = Scale::linear(low, high, kCycleLeft, kCycleRight);
  const double normal_y = top + kLane / 2 + 14;
  const double abnormal_y = normal_y + kLane;
  const double bottom = abnormal_y + kLane / 2 + 2;
  plot.axis_below(x, bottom, top + 10,
                  names_type ? fmt::format("milliseconds per cycle, {}", word_of(row.type))
                             : "milliseconds per cycle");
  if (row.ms.shift.low > -std::numeric_limits<double>::infinity() &&
      row.ms.shift.high < std::numeric_limits<double>::infinity()) {
    const double from = x.at(row.ms.normal_median + row.ms.shift.low);
    const double to = x.at(row.ms.normal_median + row.ms.shift.high);
    plot.rect(
        from, abnormal_y - 19, to - from, 38, "interval",
        "95 % interval of the shift, from the normal median: " + time_interval_text(row.ms.shift));
  }
  draw_lane(plot, x, {row.ms_normal, row.ms.normal_median, normal_y, true, "normal"});
  draw_lane(plot, x, {row.ms_abnormal, row.ms.abnormal_median, abnormal_y, false, "abnormal"});
}

}  // namespace

std::string cycle_plot(const compare::Comparison& comparison) {
  std::vector<const CycleRow*> rows;
  for (const CycleRow& row : comparison.cycles) {
    if (!row.ms_normal.empty() || !row.ms_abnormal.empty()) rows.push_back(&row);
  }
  if (rows.empty()) return {};
  SvgPlot plot(kPlotWidth, kPanel * static_cast<double>(rows.size()),
               "cycle times of both runs, one mark per cycle");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    draw_panel(plot, *rows[i], kPanel * static_cast<double>(i), rows.size() > 1);
  }
  return std::move(plot).svg();
}

}  // namespace strobe::report
