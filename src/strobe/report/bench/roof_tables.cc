#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "strobe/device/kernel_name.h"
#include "strobe/report/bench/bench_page.h"
#include "strobe/report/bench/cell_text.h"
#include "strobe/report/bench/run_tables.h"
#include "strobe/report/render/format.h"
#include "strobe/report/render/svg_plot.h"

namespace strobe::report {
namespace {

using bench::BenchRun;
using bench::CellFlag;
using bench::CellRecord;
using bench::CellStatus;
using bench::TimeSummary;

constexpr double kAtTheRoof = 0.95;
constexpr double kNearTheRoof = 0.80;
// Faster than memory can be: the data came from a cache.
constexpr double kBeyondTheRoof = 1.05;

// The baseline's time divided by ours.
std::optional<double> gain_of(const BenchRun& run, const CellRecord& record,
                              const std::string& baseline) {
  bench::Cell cell = record.cell;
  cell.provider = baseline;
  if (baseline.empty() || baseline == record.cell.provider) return std::nullopt;
  const auto found = std::ranges::find(run.cells, cell, &CellRecord::cell);
  if (found == run.cells.end() || found->status != CellStatus::kOk) return std::nullopt;
  const TimeSummary* const theirs = found->usable_time();
  return theirs == nullptr ? std::nullopt : std::optional(theirs->p50 / record.usable_time()->p50);
}

Measure verdict_cell(const CellRecord& record, const bench::Roofs& roofs) {
  return {.text = roof_verdict(record, roofs),
          .word = record.has(CellFlag::kNearFloor) ? "near the floor" : ""};
}

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

// Every provider has its own shape of mark.
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

std::string svg_of(const Picture& picture, const std::vector<std::string>& providers) {
  const std::optional<double> roof =
      picture.is_compute ? picture.roofs.gemm_tflops : picture.roofs.copy_gbps;
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

std::string caption_of(const Picture& picture) {
  std::string caption = "One mark per cell, one shape per provider; both axes are logarithmic.";
  const auto beyond_gbps = cache_gbps(picture.roofs);
  if (picture.is_compute || !beyond_gbps) return caption;
  return caption +
         fmt::format(
             " A kernel that mostly reads may be faster than a copy. Marks above {:.4g} GB/s, 5 % "
             "more than the fastest measured copy, read or write, were served by the cache.",
             *beyond_gbps);
}

}  // namespace

std::optional<RoofShare> roof_share(const CellRecord& record, const bench::Roofs& all_roofs) {
  const TimeSummary* const time = record.usable_time();
  if (time == nullptr) return std::nullopt;
  const bench::Roofs roofs = all_roofs.over(record);
  if (record.is_of_products()) {
    if (!roofs.gemm_tflops || !(*roofs.gemm_tflops > 0) || !(record.flops > 0)) return std::nullopt;
    return RoofShare{record.tflops(time->p50) / *roofs.gemm_tflops, true};
  }
  if (!roofs.copy_gbps || !(*roofs.copy_gbps > 0) || !(record.bytes.min > 0)) return std::nullopt;
  return RoofShare{record.gbps(time->p50) / *roofs.copy_gbps, false};
}

std::optional<double> cache_gbps(const bench::Roofs& roofs) {
  std::optional<double> fastest;
  for (const auto& roof : {roofs.copy_gbps, roofs.read_gbps, roofs.write_gbps}) {
    if (roof && *roof > fastest.value_or(0)) fastest = roof;
  }
  return fastest ? std::optional(kBeyondTheRoof * *fastest) : std::nullopt;
}

std::string roof_verdict(const CellRecord& record, const bench::Roofs& roofs) {
  if (record.has(CellFlag::kNearFloor)) return std::string(flag_text(CellFlag::kNearFloor));
  const auto roof = roof_share(record, roofs);
  if (!roof) return record.usable_time() == nullptr ? "" : "no roof measured";
  const auto beyond_gbps = cache_gbps(roofs);
  if (!roof->is_compute && beyond_gbps && record.gbps(record.usable_time()->p50) > *beyond_gbps) {
    return "from the cache";
  }
  if (roof->share >= kAtTheRoof) return "at the roof";
  if (roof->share >= kNearTheRoof) return "near the roof";
  if (!record.has(CellFlag::kHostBound)) return "below the roof";
  return fmt::format("below the roof, {}", flag_text(CellFlag::kHostBound));
}

Section roofline_table(const BenchRun& run, const RunTableOptions& options) {
  Section table =
      cell_section("roofline", "Roofline",
                   "Rates are the least traffic and the arithmetic of the case, divided by its "
                   "time. The roof is a memory copy, for matrix products the matrix roof.",
                   {{"us", "time"},
                    {"gbps", "GB/s"},
                    {"tflops", "TFLOP/s"},
                    {"roof_pct", "of the roof"},
                    {"ceiling_pct", "of the fusion ceiling"},
                    {"verdict", "", true}});
  bool has_ceiling = false;
  for (const CellRecord& record : run.cells) {
    Row& row = table.table.rows.emplace_back(cell_row(record.cell));
    const TimeSummary* const time = record.usable_time();
    if (time == nullptr) {
      row.cells.push_back(Measure{.text = status_text(record.status, options.missing),
                                  .mark = Mark::kMissing,
                                  .title = record.reason});
      for (int i = 0; i < 4; ++i) row.cells.push_back(Absent{});
      row.cells.push_back(Text{record.reason});
      continue;
    }
    const auto share = roof_share(record, run.header.roofs);
    std::optional<double> of_ceiling;
    const auto gain = gain_of(run, record, options.baseline);
    // If the matrix pipe may be the limit, bytes say little about what fusion gains.
    if (gain && !record.is_of_products() && record.bytes.unfused > record.bytes.min &&
        record.bytes.min > 0) {
      of_ceiling = *gain * record.bytes.min / record.bytes.unfused;
      has_ceiling = true;
    }
    const bool is_wrong = record.status == CellStatus::kWrong;
    row.cells.push_back(Measure{.text = micros_text(time->p50),
                                .value = time->p50,
                                .mark = is_wrong ? Mark::kWrong : Mark::kPlain});
    row.cells.push_back(digits_cell(record.gbps(time->p50), 4));
    row.cells.push_back(digits_cell(record.tflops(time->p50), 4));
    row.cells.push_back(part_cell(share ? std::optional(share->share) : std::nullopt));
    row.cells.push_back(part_cell(is_wrong ? std::nullopt : of_ceiling));
    row.cells.push_back(is_wrong ? Measure{.text = "wrong values"}
                                 : verdict_cell(record, run.header.roofs));
  }
  const auto& roofs = run.header.roofs;
  if (roofs.copy_gbps)
    table.notes.push_back(fmt::format("copy roof {:.4g} GB/s", *roofs.copy_gbps));
  if (roofs.gemm_tflops) {
    table.notes.push_back(fmt::format("matrix roof {:.4g} TFLOP/s", *roofs.gemm_tflops));
  }
  if (std::ranges::any_of(run.cells, &CellRecord::has_masked_half)) {
    table.notes.emplace_back(bench::kMaskedHalfNote);
  }
  if (has_ceiling) {
    table.notes.push_back(
        fmt::format("of the fusion ceiling: the gain over {} as a share of what fusion alone can "
                    "gain at the memory roof; above 100 %, {} was below the roof",
                    options.baseline, options.baseline));
  }
  return table;
}

Section kernels_table(const BenchRun& run, const RunTableOptions&) {
  struct Sum {
    std::size_t launches = 0;
    std::size_t cells = 0;
    double us = 0;
    bool has_time = false;
    const CellRecord* last = nullptr;
  };
  struct Provider {
    std::string case_id;
    std::string name;
    std::vector<std::string> order;
    std::map<std::string, Sum> kernels;
    double us = 0;
    std::size_t cells = 0;
  };
  std::vector<Provider> providers;
  for (const CellRecord& record : run.cells) {
    if (record.kernels.empty()) continue;
    auto found = std::ranges::find_if(providers, [&](const Provider& provider) {
      return provider.case_id == record.cell.case_id && provider.name == record.cell.provider;
    });
    if (found == providers.end()) {
      providers.push_back({record.cell.case_id, record.cell.provider, {}, {}, 0, 0});
      found = providers.end() - 1;
    }
    ++found->cells;
    for (const bench::KernelLaunch& launch : record.kernels) {
      const std::string name = device::detail_name(launch.name);
      const auto [sum, is_new] = found->kernels.try_emplace(name);
      if (is_new) found->order.push_back(name);
      ++sum->second.launches;
      if (sum->second.last != &record) ++sum->second.cells;
      sum->second.last = &record;
      if (launch.duration_us) {
        sum->second.us += *launch.duration_us;
        sum->second.has_time = true;
        found->us += *launch.duration_us;
      }
    }
  }
  Section table = list_section(
      "kernels", "Kernels",
      "Kernels that each provider launched: in how many of its cells, launches in one call, time "
      "over all cells, and share of its kernel time.",
      "case",
      {{"provider", "provider", true},
       {"kernel", "kernel", true},
       {"cells", "cells"},
       {"launches", "launches"},
       {"us", "time"},
       {"share_pct", "share"}});
  constexpr std::size_t kKernelColumn = 2;
  table.table.columns[kKernelColumn].least_width = 40;  // long names differ at their end
  for (const Provider& provider : providers) {
    for (const std::string& name : provider.order) {
      const Sum& sum = provider.kernels.at(name);
      const double a_call = static_cast<double>(sum.launches) / static_cast<double>(sum.cells);
      Row& row = table.table.rows.emplace_back();
      row.cells = {Text{provider.case_id}, Text{provider.name}, Text{name},
                   Measure{.text = fmt::format("{} of {}", sum.cells, provider.cells),
                           .value = static_cast<double>(sum.cells)},
                   digits_cell(a_call, 3)};
      if (sum.has_time) {
        row.cells.push_back(micros_cell(sum.us));
        row.cells.push_back(
            part_cell(provider.us > 0 ? std::optional(sum.us / provider.us) : std::nullopt));
      } else {
        row.cells.push_back(Absent{});
        row.cells.push_back(Absent{});
      }
    }
  }
  if (table.table.rows.empty()) table.notes.emplace_back("this run has no kernel names");
  return table;
}

std::vector<Section> roof_figures(const BenchRun& run) {
  const std::vector<std::string> providers = providers_of(run);
  std::vector<Picture> pictures;
  for (const CellRecord& record : run.cells) {
    const TimeSummary* const time = record.usable_time();
    if (record.status != CellStatus::kOk || time == nullptr || !(record.bytes.min > 0)) continue;
    const bool is_compute = record.is_of_products();
    const double rate = is_compute ? record.tflops(time->p50) : record.gbps(time->p50);
    if (!(rate > 0)) continue;
    auto found = std::ranges::find_if(pictures, [&](const Picture& picture) {
      return picture.case_id == record.cell.case_id && picture.dtype == record.cell.dtype;
    });
    if (found == pictures.end()) {
      pictures.push_back({record.cell.case_id, record.cell.dtype, is_compute, {}, {}});
      found = pictures.end() - 1;
    }
    // If host and device share a picture, the line belongs to the side whose roofs are known.
    if (!found->roofs.copy_gbps) found->roofs = run.header.roofs.over(record);
    const auto provider = std::ranges::find(providers, record.cell.provider) - providers.begin();
    found->points.push_back(
        {static_cast<std::size_t>(provider), record.bytes.min * 1e-6, rate,
         fmt::format("{}: {}, {:.4g} {}", bench::cell_text(record.cell), micros_text(time->p50),
                     rate, is_compute ? "TFLOP/s" : "GB/s")});
  }
  std::vector<Section> figures;
  for (const Picture& picture : pictures) {
    figures.push_back(figure_section(
        fmt::format("{} {}: under the roof", picture.case_id, bench::dtype_name(picture.dtype)),
        caption_of(picture), svg_of(picture, providers)));
  }
  return figures;
}

}  // namespace strobe::report
