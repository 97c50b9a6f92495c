#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "strobe/analysis/headroom/kernel_bound.h"
#include "strobe/report/kernels/kernel_html.h"
#include "strobe/report/kernels/kernel_numbers.h"
#include "strobe/report/kernels/roofline_picture.h"
#include "strobe/report/kernels/roofline_report.h"
#include "strobe/report/render/format.h"
#include "strobe/report/render/svg_plot.h"

namespace strobe::report {
namespace {

using analysis::KernelStudy;
using analysis::Roof;
using analysis::Roofline;
using analysis::RooflinePoint;

constexpr double kRooflineHeight = 520;
constexpr double kRooflineLeft = 76;
constexpr double kRooflineRight = kPlotWidth - 24;
constexpr double kRooflineTop = 30;
constexpr double kRooflineBottom = kRooflineHeight - 48;
constexpr double kLargestRadius = 42;
constexpr double kSmallestRadius = 2.5;
constexpr double kTera = 1e12;

double radius_of(const RooflinePoint& point, const Roofline& roofline) {
  const auto most =
      static_cast<double>(std::max<std::int64_t>(roofline.points.front().latency_ns, 1));
  return std::max(kSmallestRadius,
                  kLargestRadius * std::sqrt(static_cast<double>(point.latency_ns) / most));
}

std::string title_of(const RooflinePoint& point, const KernelStudy& study,
                     const RooflinePage& page) {
  const double share = static_cast<double>(point.latency_ns) /
                       static_cast<double>(std::max<std::int64_t>(study.totals.latency_ns, 1));
  std::string title = fmt::format(
      "{}: {}, {} ({} of all)", name_in(study.identities[point.identity], page.names),
      launches_text(point.launches), duration_text(point.latency_ns), percent_text(share));
  if (point.tensor_percent) title += "; Tensor " + percent_of_peak_text(point.tensor_percent);
  if (point.dram_percent) title += "; DRAM " + percent_of_peak_text(point.dram_percent);
  if (point.flop_per_s) {
    title += fmt::format("; {}{} at {}", flop_rate_text(point.flop_per_s),
                         point.flops_are_estimated ? " (estimated)" : "",
                         intensity_text(point.flop_per_byte));
  }
  return title;
}

// Large circles first, so that small ones can be pointed at.
void draw_point(SvgPlot& plot, double x, double y, std::size_t index, const KernelStudy& study,
                const RooflinePage& page) {
  const RooflinePoint& point = study.roofline.points[index];
  const double radius = radius_of(point, study.roofline);
  plot.circle(x, y, radius, "busy", title_of(point, study, page));
  const std::size_t lettered = page.top == 0 ? kMostLetters : std::min(page.top, kMostLetters);
  constexpr double kLetterRadius = 6;
  if (index < lettered && radius >= kLetterRadius) {
    plot.text(x, y + 4, std::string(1, letter_of(index)), Anchor::kMiddle, "cell");
  }
}

std::string rate_svg(const KernelStudy& study, const RooflinePage& page) {
  const Roofline& roofline = study.roofline;
  double low_x = roofline.ridge_flop_per_byte.value_or(1) / 10;
  double high_x = roofline.ridge_flop_per_byte.value_or(1) * 10;
  double high_y = 0;
  double low_y = std::numeric_limits<double>::infinity();
  for (const Roof& roof : roofline.compute) high_y = std::max(high_y, roof.value);
  for (const RooflinePoint& point : roofline.points) {
    if (!point.flop_per_s || !point.flop_per_byte || *point.flop_per_s <= 0) continue;
    low_x = std::min(low_x, *point.flop_per_byte);
    high_x = std::max(high_x, *point.flop_per_byte);
    low_y = std::min(low_y, *point.flop_per_s);
    high_y = std::max(high_y, *point.flop_per_s);
  }
  constexpr double kMostRange = 1e6;  // what is further down stands on the edge
  low_y = std::max(low_y / 1.5, high_y / kMostRange);
  low_x = std::max(low_x / 1.5, high_x / kMostRange / 100);
  SvgPlot plot(kPlotWidth, kRooflineHeight,
               "operations per second over operations per byte, with the roofs");
  const Scale x = Scale::logarithmic(low_x, high_x * 1.5, kRooflineLeft, kRooflineRight);
  const Scale y =
      Scale::logarithmic(low_y / kTera, high_y * 1.5 / kTera, kRooflineBottom, kRooflineTop);
  plot.axis_below(x, kRooflineBottom, kRooflineTop, "FLOP/byte");
  plot.axis_left(y, kRooflineLeft, kRooflineRight, "TFLOP/s");
  const double top = roofline.compute.empty() ? high_y : roofline.compute.front().value;
  for (const Roof& roof : roofline.memory) {
    const double from = std::max(low_x, low_y / roof.value);
    const double to = std::min(high_x * 1.5, top / roof.value);
    if (to <= from) continue;
    plot.line(x.at(from), y.at(from * roof.value / kTera), x.at(to), y.at(to * roof.value / kTera),
              "limit");
    plot.text(x.at(from) + 26, y.at(from * roof.value / kTera) + 2,
              fmt::format("{} {}", roof.name, byte_rate_text(roof.value)), Anchor::kStart, "tick");
  }
  for (const Roof& roof : roofline.compute) {
    if (roof.value < low_y) continue;
    const Roof* dram = dram_roof(roofline);
    const double from = dram == nullptr ? low_x : std::max(low_x, roof.value / dram->value);
    plot.line(x.at(from), y.at(roof.value / kTera), kRooflineRight, y.at(roof.value / kTera),
              "limit");
    plot.text(kRooflineRight - 4, y.at(roof.value / kTera) - 5,
              fmt::format("{} {}", roof.name, flop_rate_text(roof.value)), Anchor::kEnd, "tick");
  }
  for (std::size_t i = 0; i < roofline.points.size(); ++i) {
    const RooflinePoint& point = roofline.points[i];
    if (!point.flop_per_s || !point.flop_per_byte || *point.flop_per_s <= 0) continue;
    draw_point(plot, x.at(*point.flop_per_byte), y.at(*point.flop_per_s / kTera), i, study, page);
  }
  return std::move(plot).svg();
}

}  // namespace

std::string share_svg(const KernelStudy& study, const RooflinePage& page) {
  const bool has_shares = std::ranges::any_of(
      study.roofline.points,
      [](const RooflinePoint& point) { return point.tensor_percent || point.dram_percent; });
  if (!has_shares) return {};
  SvgPlot plot(kPlotWidth, kRooflineHeight, "share of the matrix pipe over share of DRAM");
  constexpr double kRoom = 44;  // circles at zero do not cover the labels
  const Scale x = Scale::linear(0, 100, kRooflineLeft + kRoom, kRooflineRight);
  const Scale y = Scale::linear(0, 100, kRooflineBottom - kRoom, kRooflineTop);
  plot.axis_below(x, kRooflineBottom, kRooflineTop, "DRAM, percent of its peak rate");
  plot.axis_left(y, kRooflineLeft, kRooflineRight, "Tensor, percent of the time busy");
  for (const double limit : {analysis::kLeaningPercent, analysis::kBoundPercent}) {
    plot.line(x.at(0), y.at(limit), x.at(limit), y.at(limit), "limit");
    plot.line(x.at(limit), y.at(0), x.at(limit), y.at(limit), "limit");
  }
  plot.text(x.at(analysis::kLeaningPercent) - 6, y.at(analysis::kLeaningPercent) + 16,
            "latency-bound", Anchor::kEnd, "tick");
  plot.text(x.at(analysis::kBoundPercent) - 6, y.at(analysis::kBoundPercent) + 16, "leaning",
            Anchor::kEnd, "tick");
  plot.text(kRooflineRight - 6, kRooflineTop + 16, "bound", Anchor::kEnd, "tick");
  for (std::size_t i = 0; i < study.roofline.points.size(); ++i) {
    const RooflinePoint& point = study.roofline.points[i];
    if (!point.tensor_percent && !point.dram_percent) continue;
    draw_point(plot, x.at(point.dram_percent.value_or(0)), y.at(point.tensor_percent.value_or(0)),
               i, study, page);
  }
  return std::move(plot).svg();
}

std::string roofline_svg(const KernelStudy& study, const RooflinePage& page) {
  return has_rates(study.roofline) ? rate_svg(study, page) : std::string();
}

std::string roofline_html(const KernelStudy& study, const RooflinePage& page) {
  const bool rates = has_rates(study.roofline);
  const std::string caption =
      "One circle per kernel name, its area the time of all its launches; letters as in the table "
      "below.";
  return kernel_page_html(roofline_document(study, page),
                          rates ? "Under the roofs" : "Shares of the peaks",
                          {{"Roofline", caption, roofline_svg(study, page)},
                           {"Shares of the peaks", caption, share_svg(study, page)}});
}

}  // namespace strobe::report
