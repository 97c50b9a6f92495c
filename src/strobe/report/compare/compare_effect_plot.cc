#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "strobe/report/compare/compare_numbers.h"
#include "strobe/report/compare/compare_plots.h"
#include "strobe/report/compare/compare_verdict.h"
#include "strobe/report/compare/side_names.h"
#include "strobe/report/render/label_places.h"
#include "strobe/report/render/svg_plot.h"

namespace strobe::report {
namespace {

using compare::Comparison;
using compare::FunctionRow;

constexpr double kEffectHeight = 380;
constexpr double kEffectLeft = 64;
constexpr double kEffectRight = kPlotWidth - 24;
constexpr double kEffectTop = 30;
constexpr double kEffectBottom = kEffectHeight - 48;
constexpr std::size_t kNumbered = 10;
constexpr double kLeastQ = 1e-6;
constexpr double kMostRatio = 16;

// One function that both runs have.
struct EffectMark {
  const FunctionRow* row = nullptr;
  std::size_t number = 0;  // in the table
  double ratio = 1;
  double q = 1;
};

std::vector<EffectMark> effect_marks(const Comparison& comparison) {
  const std::vector<const FunctionRow*> rows =
      drawn_functions(comparison, comparison.functions.size());
  std::vector<EffectMark> marks;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const compare::Change& ms = rows[i]->own_ms();
    const EffectMark mark = {rows[i], i + 1, ms.abnormal_median / ms.normal_median,
                             shown_q(*rows[i])};
    if (std::isfinite(mark.q) && std::isfinite(mark.ratio) && mark.ratio > 0) marks.push_back(mark);
  }
  return marks;
}

Scale ratio_scale(const std::vector<EffectMark>& marks) {
  double most = 1.25;
  for (const EffectMark& mark : marks) most = std::max({most, mark.ratio, 1 / mark.ratio});
  most = std::min(most, kMostRatio);
  return Scale::logarithmic(1 / most, most, kEffectLeft, kEffectRight);
}

Scale q_scale(const std::vector<EffectMark>& marks) {
  double least = 0.01;
  for (const EffectMark& mark : marks) least = std::min(least, mark.q);
  return Scale::logarithmic(std::max(least, kLeastQ), 1, kEffectTop, kEffectBottom);
}

void draw_effect_axes(SvgPlot& plot, const Scale& x, const Scale& y, const SideNames& names) {
  plot.axis_below(
      x, kEffectBottom, kEffectTop,
      fmt::format("{} / {}, of the median milliseconds per cycle", names.abnormal, names.normal));
  plot.axis_left(y, kEffectLeft, kEffectRight, "q (smaller is more certain)");
  plot.line(kEffectLeft, y.at(compare::kSignificant), kEffectRight, y.at(compare::kSignificant),
            "limit");
  plot.text(kEffectRight - 4, y.at(compare::kSignificant) - 5, "q = 0.05", Anchor::kEnd, "tick");
  plot.line(x.at(1), kEffectTop, x.at(1), kEffectBottom, "limit");
}

void draw_effect_mark(SvgPlot& plot, PlotPoint at, const EffectMark& mark) {
  const FunctionRow& row = *mark.row;
  const std::string title =
      fmt::format("{}. {} on {}: {}; q {}, {}", mark.number, row.key.name, row.key.device,
                  time_story(row.own_ms()), p_text(mark.q), verdict_text(row));
  if (is_changed(row)) {
    plot.diamond(at.x, at.y, 6, "a", title);
  } else {
    plot.circle(at.x, at.y, 3.5, "same", title);
  }
}

void draw_effect_labels(SvgPlot& plot, const std::vector<MarkLabel>& labels,
                        const std::vector<PlotPoint>& points) {
  const auto places =
      place_labels(labels, points, {kEffectLeft, kEffectTop - 16}, {kPlotWidth, kEffectBottom - 2});
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (!places[i]) continue;
    const PlotPoint at = places[i]->baseline;
    if (places[i]->is_far) {
      plot.line(labels[i].mark.x, labels[i].mark.y, at.x + 3, at.y - 4, "leader");
    }
    plot.text(at.x, at.y, labels[i].text, Anchor::kStart, "tick");
  }
}

}  // namespace

std::string effect_plot(const Comparison& comparison) {
  const std::vector<EffectMark> marks = effect_marks(comparison);
  if (marks.empty()) return {};
  SvgPlot plot(kPlotWidth, kEffectHeight,
               "how much longer each function takes, and how sure that is");
  const Scale x = ratio_scale(marks);
  const Scale y = q_scale(marks);
  draw_effect_axes(plot, x, y, side_names(comparison));
  std::vector<PlotPoint> points;
  std::vector<MarkLabel> labels;
  for (const EffectMark& mark : marks) {
    points.push_back({x.at(mark.ratio), y.at(mark.q)});
    if (is_changed(*mark.row) && mark.number <= kNumbered) {
      labels.push_back({points.back(), std::to_string(mark.number)});
    }
  }
  draw_effect_labels(plot, labels, points);
  for (std::size_t i = marks.size(); i-- > 0;) draw_effect_mark(plot, points[i], marks[i]);
  return std::move(plot).svg();
}

}  // namespace strobe::report
