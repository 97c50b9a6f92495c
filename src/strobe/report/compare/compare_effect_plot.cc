#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "strobe/report/compare/compare_numbers.h"
#include "strobe/report/compare/compare_plots.h"
#include "strobe/report/compare/compare_verdict.h"
#include "strobe/report/render/svg_plot.h"

namespace strobe::report {
namespace {

using compare::FunctionRow;

constexpr double kEffectHeight = 380;
constexpr double kEffectLeft = 64;
constexpr double kEffectRight = kPlotWidth - 24;
constexpr double kEffectTop = 30;
constexpr double kEffectBottom = kEffectHeight - 48;
constexpr std::size_t kNumbered = 10;
constexpr double kLeastQ = 1e-6;
constexpr double kMostRatio = 16;

double ratio_of(const FunctionRow& row) { return row.ms.abnormal_median / row.ms.normal_median; }

bool is_drawn(const FunctionRow& row) {
  return std::isfinite(row.beta.q) && std::isfinite(ratio_of(row)) && ratio_of(row) > 0;
}

}  // namespace

std::string effect_plot(const compare::Comparison& comparison) {
  const std::vector<const FunctionRow*> rows =
      drawn_functions(comparison, comparison.functions.size());
  double most = 1.25;
  double least_q = 0.01;
  for (const FunctionRow* row : rows) {
    if (!is_drawn(*row)) continue;
    const double ratio = ratio_of(*row);
    most = std::max({most, ratio, 1 / ratio});
    least_q = std::min(least_q, row->beta.q);
  }
  if (std::ranges::none_of(rows, [](const FunctionRow* row) { return is_drawn(*row); })) return {};
  most = std::min(most, kMostRatio);
  SvgPlot plot(kPlotWidth, kEffectHeight,
               "how much longer each function takes, and how sure that is");
  const Scale x = Scale::logarithmic(1 / most, most, kEffectLeft, kEffectRight);
  const Scale y = Scale::logarithmic(std::max(least_q, kLeastQ), 1, kEffectTop, kEffectBottom);
  plot.axis_below(x, kEffectBottom, kEffectTop,
                  "abnormal / normal, of the median milliseconds per cycle");
  plot.axis_left(y, kEffectLeft, kEffectRight, "q (smaller is surer)");
  plot.line(kEffectLeft, y.at(0.05), kEffectRight, y.at(0.05), "limit");
  plot.text(kEffectRight - 4, y.at(0.05) - 5, "q = 0.05", Anchor::kEnd, "tick");
  plot.line(x.at(1), kEffectTop, x.at(1), kEffectBottom, "limit");
  for (std::size_t back = rows.size(); back-- > 0;) {  // the first ones on top
    const FunctionRow& row = *rows[back];
    if (!is_drawn(row)) continue;
    const double px = x.at(ratio_of(row));
    const double py = y.at(row.beta.q);
    const std::string title =
        fmt::format("{}. {} on {}: {}; q {}, {}", back + 1, row.key.name, row.key.device,
                    time_story(row.ms), p_text(row.beta.q), verdict_text(row));
    if (is_changed(row)) {
      plot.diamond(px, py, 6, "a", title);
      if (back < kNumbered)
        plot.text(px + 8, py - 5, std::to_string(back + 1), Anchor::kStart, "tick");
    } else {
      plot.circle(px, py, 3.5, "same", title);
    }
  }
  return std::move(plot).svg();
}

}  // namespace strobe::report
