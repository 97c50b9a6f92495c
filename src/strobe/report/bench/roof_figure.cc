#include "strobe/report/bench/roof_figure.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "strobe/bench/cases/case_info.h"
#include "strobe/report/bench/bench_page.h"
#include "strobe/report/bench/cell_text.h"
#include "strobe/report/bench/run_tables.h"
#include "strobe/report/render/svg_plot.h"

namespace strobe::report {
namespace {

using bench::BenchRun;
using bench::CellRecord;
using bench::CellStatus;

constexpr double kRoofHeight = 380;
constexpr double kRoofLeft = 76;
constexpr double kRoofRight = 1050;
constexpr double kRoofTop = 52;
constexpr double kRoofBottom = 320;
constexpr std::size_t kMostMarks = 4;

struct Point {
  std::size_t provider = 0;
  double megabytes = 0;
  double rate = 0;
  std::string title;
};

struct Picture {
  std::string case_id;
  bench::DType dtype = bench::DType::kF32;
  bool is_compute = false;
  bench::Roofs roofs;
  std::vector<Point> points;
};

// Every provider has a shape of its own.
void draw_mark(SvgPlot& plot, double x, double y, std::size_t provider, const std::string& title) {
  switch (provider % kMostMarks) {
    case 0:
      return plot.circle(x, y, 4.5, "n", title);
    case 1:
      return plot.diamond(x, y, 6, "a", title);
    case 2:
      return plot.rect(x - 4, y - 4, 8, 8, "busy", title);
    default:
      return plot.circle(x, y, 3, "same", title);
  }
}

std::string svg_of(const Picture& picture, const std::vector<std::string>& providers,
                   const bench::Roofs& roofs) {
  const std::optional<double> roof = picture.is_compute ? roofs.gemm_tflops : roofs.copy_gbps;
  const auto [least, most] = std::ranges::minmax(picture.points, {}, &Point::megabytes);
  const auto [slowest, fastest] = std::ranges::minmax(picture.points, {}, &Point::rate);
  const double top = std::max(fastest.rate, roof.value_or(0)) * 1.3;
  SvgPlot plot(kPlotWidth, kRoofHeight,
               fmt::format("rates of {} over their size", picture.case_id));
  const Scale x =
      Scale::logarithmic(least.megabytes / 1.5, most.megabytes * 1.5, kRoofLeft, kRoofRight);
  const Scale y = Scale::logarithmic(slowest.rate / 1.3, top, kRoofBottom, kRoofTop);
  plot.axis_below(x, kRoofBottom, kRoofTop, "least traffic of the cell, MB");
  plot.axis_left(y, kRoofLeft, kRoofRight, picture.is_compute ? "TFLOP/s" : "GB/s");
  if (roof && *roof > 0) {
    plot.line(kRoofLeft, y.at(*roof), kRoofRight, y.at(*roof), "limit");
    plot.text(kRoofRight - 4, y.at(*roof) - 5,
              fmt::format("{} roof {:.4g} {}", picture.is_compute ? "matrix" : "copy", *roof,
                          picture.is_compute ? "TFLOP/s" : "GB/s"),
              Anchor::kEnd, "tick");
  }
  for (const Point& point : picture.points) {
    draw_mark(plot, x.at(point.megabytes), y.at(point.rate), point.provider, point.title);
  }
  double at = kRoofLeft + 8;
  for (std::size_t i = 0; i < providers.size(); ++i) {
    draw_mark(plot, at, kRoofTop - 30, i, "");
    plot.text(at + 12, kRoofTop - 26, providers[i]);
    at += 40 + 7.5 * static_cast<double>(providers[i].size());
  }
  return std::move(plot).svg();
}

std::string caption_of(const Picture& picture, const bench::Roofs& roofs) {
  std::string caption =
      "One mark per cell, a shape of its own for each provider; both axes are logarithmic.";
  const auto beyond_gbps = cache_gbps(roofs);
  if (picture.is_compute || !beyond_gbps) return caption;
  return caption +
         fmt::format(
             " Who mostly reads may be faster than a copy; marks above {:.4g} GB/s, 5 % "
             "more than the fastest of the measured copies, reads and writes, were served "
             "by the cache.",
             *beyond_gbps);
}

}  // namespace

std::vector<BenchFigure> roof_figures(const BenchRun& run) {
  const std::vector<std::string> providers = providers_of(run);
  std::vector<Picture> pictures;
  for (const CellRecord& record : run.cells) {
    const bench::TimeSummary* const time = record.headline();
    if (record.status != CellStatus::kOk || time == nullptr || !(time->p50 > 0) ||
        !(record.bytes.min > 0)) {
      continue;
    }
    const bench::CaseInfo* const info = bench::find_case(record.cell.case_id);
    const bool is_compute = info != nullptr && info->kind != bench::CaseKind::kRows;
    const double rate =
        is_compute ? record.rated_flops() / time->p50 * 1e-6 : record.bytes.min / time->p50 * 1e-3;
    if (!(rate > 0)) continue;
    auto found = std::ranges::find_if(pictures, [&](const Picture& picture) {
      return picture.case_id == record.cell.case_id && picture.dtype == record.cell.dtype;
    });
    if (found == pictures.end()) {
      pictures.push_back({record.cell.case_id, record.cell.dtype, is_compute, {}, {}});
      found = pictures.end() - 1;
    }
    // Where host and device stand in one picture, the line is of whom the roofs are.
    if (!found->roofs.copy_gbps) found->roofs = run.header.roofs.over(record);
    const auto provider = std::ranges::find(providers, record.cell.provider) - providers.begin();
    found->points.push_back(
        {static_cast<std::size_t>(provider), record.bytes.min, rate,
         fmt::format("{}: {}, {:.4g} {}", bench::cell_text(record.cell), micros_text(time->p50),
                     rate, is_compute ? "TFLOP/s" : "GB/s")});
  }
  std::vector<BenchFigure> figures;
  for (const Picture& picture : pictures) {
    figures.push_back(
        {fmt::format("{} {}: under the roof", picture.case_id, bench::dtype_name(picture.dtype)),
         caption_of(picture, picture.roofs), svg_of(picture, providers, picture.roofs)});
  }
  return figures;
}

}  // namespace strobe::report
