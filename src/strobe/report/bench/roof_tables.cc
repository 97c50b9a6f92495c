#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "strobe/bench/cases/case_info.h"
#include "strobe/device/kernel_name.h"
#include "strobe/report/bench/cell_text.h"
#include "strobe/report/bench/run_tables.h"
#include "strobe/report/render/format.h"

namespace strobe::report {
namespace {

using bench::BenchRun;
using bench::CaseInfo;
using bench::CellFlag;
using bench::CellRecord;
using bench::CellStatus;
using bench::TimeSummary;

constexpr double kAtTheRoof = 0.95;
constexpr double kNearTheRoof = 0.80;
// Beyond what memory was ever seen to do: the data did not come from there.
constexpr double kBeyondTheRoof = 1.05;

const TimeSummary* usable_time(const CellRecord& record) {
  if (record.status != CellStatus::kOk && record.status != CellStatus::kWrong) return nullptr;
  const TimeSummary* const time = record.headline();
  return time != nullptr && time->p50 > 0 ? time : nullptr;
}

double gbps_of(const CellRecord& record, const TimeSummary& time) {
  return record.bytes.min / time.p50 * 1e-3;
}

bool is_compute_case(const CellRecord& record) {
  const CaseInfo* const info = bench::find_case(record.cell.case_id);
  return info != nullptr && info->kind != bench::CaseKind::kRows;
}

// The time of the baseline over ours.
std::optional<double> gain_of(const BenchRun& run, const CellRecord& record,
                              const std::string& baseline) {
  bench::Cell cell = record.cell;
  cell.provider = baseline;
  if (baseline.empty() || baseline == record.cell.provider) return std::nullopt;
  const auto found = std::ranges::find(run.cells, cell, &CellRecord::cell);
  if (found == run.cells.end() || found->status != CellStatus::kOk) return std::nullopt;
  const TimeSummary* const theirs = usable_time(*found);
  return theirs == nullptr ? std::nullopt : std::optional(theirs->p50 / usable_time(record)->p50);
}

}  // namespace

std::optional<RoofShare> roof_share(const CellRecord& record, const bench::Roofs& all_roofs) {
  const TimeSummary* const time = usable_time(record);
  if (time == nullptr) return std::nullopt;
  const bench::Roofs roofs = all_roofs.over(record);
  if (is_compute_case(record)) {
    if (!roofs.gemm_tflops || !(*roofs.gemm_tflops > 0) || !(record.flops > 0)) return std::nullopt;
    return RoofShare{record.rated_flops() / time->p50 * 1e-6 / *roofs.gemm_tflops, true};
  }
  if (!roofs.copy_gbps || !(*roofs.copy_gbps > 0) || !(record.bytes.min > 0)) return std::nullopt;
  return RoofShare{gbps_of(record, *time) / *roofs.copy_gbps, false};
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
  if (!roof) return usable_time(record) == nullptr ? "" : "no roof measured";
  const auto beyond_gbps = cache_gbps(roofs);
  if (!roof->is_compute && beyond_gbps && gbps_of(record, *usable_time(record)) > *beyond_gbps) {
    return "from the cache";
  }
  if (roof->share >= kAtTheRoof) return "at the roof";
  if (roof->share >= kNearTheRoof) return "near the roof";
  if (!record.has(CellFlag::kHostBound)) return "below the roof";
  return fmt::format("below the roof, {}", flag_text(CellFlag::kHostBound));
}

namespace {

BenchCell verdict_cell(const CellRecord& record, const bench::Roofs& roofs) {
  return {.text = roof_verdict(record, roofs),
          .word = record.has(CellFlag::kNearFloor) ? "near the floor" : ""};
}

}  // namespace

BenchTable roofline_table(const BenchRun& run, const RunTableOptions& options) {
  BenchTable table;
  table.key = "roofline";
  table.title = "Roofline";
  table.lead =
      "Rates are the least traffic and the arithmetic of the case over its time; the roof "
      "is a copy, of products the matrix roof.";
  table.corner = "case";
  table.columns = cell_columns({{"us", "time"},
                                {"gbps", "GB/s"},
                                {"tflops", "TFLOP/s"},
                                {"roof_pct", "of the roof"},
                                {"ceiling_pct", "of the fusion ceiling"},
                                {"verdict", "", true}});
  bool has_ceiling = false;
  for (const CellRecord& record : run.cells) {
    BenchRow& row = table.rows.emplace_back(cell_row(record.cell));
    const TimeSummary* const time = usable_time(record);
    if (time == nullptr) {
      row.cells.push_back({.text = status_text(record.status, options.missing),
                           .mark = BenchMark::kMissing,
                           .title = record.reason});
      for (int i = 0; i < 4; ++i) row.cells.push_back(absent_cell());
      row.cells.push_back({.text = record.reason});
      continue;
    }
    const auto share = roof_share(record, run.header.roofs);
    std::optional<double> of_ceiling;
    const auto gain = gain_of(run, record, options.baseline);
    // Where the matrix pipe may be the limit, bytes say little of what fusion wins.
    if (gain && !is_compute_case(record) && record.bytes.unfused > record.bytes.min &&
        record.bytes.min > 0) {
      of_ceiling = *gain * record.bytes.min / record.bytes.unfused;
      has_ceiling = true;
    }
    const bool is_wrong = record.status == CellStatus::kWrong;
    row.cells.push_back({.text = micros_text(time->p50),
                         .value = time->p50,
                         .mark = is_wrong ? BenchMark::kWrong : BenchMark::kPlain});
    row.cells.push_back(digits_cell(gbps_of(record, *time), 4));
    row.cells.push_back(digits_cell(record.rated_flops() / time->p50 * 1e-6, 4));
    row.cells.push_back(part_cell(share ? std::optional(share->share) : std::nullopt));
    row.cells.push_back(part_cell(is_wrong ? std::nullopt : of_ceiling));
    row.cells.push_back(is_wrong ? BenchCell{.text = "wrong values"}
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
        fmt::format("of the fusion ceiling: the gain over {} in parts of what fusion alone can win "
                    "at the memory roof; more than 100 % means that {} was below the roof",
                    options.baseline, options.baseline));
  }
  return table;
}

BenchTable kernels_table(const BenchRun& run, const RunTableOptions&) {
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
  BenchTable table;
  table.key = "kernels";
  table.title = "Kernels";
  table.lead = "What each provider launched, over all its cells; shares are of its kernel time.";
  table.corner = "case";
  table.columns = {{"provider", "provider", true},
                   {"kernel", "kernel", true},
                   {"cells", "cells"},
                   {"launches", "launches a call"},
                   {"us", "time"},
                   {"share_pct", "share"}};
  for (const Provider& provider : providers) {
    for (const std::string& name : provider.order) {
      const Sum& sum = provider.kernels.at(name);
      const double a_call = static_cast<double>(sum.launches) / static_cast<double>(sum.cells);
      BenchRow& row = table.rows.emplace_back();
      row.label = provider.case_id;
      row.cells = {{.text = provider.name},
                   {.text = name},
                   {.text = fmt::format("{} of {}", sum.cells, provider.cells),
                    .value = static_cast<double>(sum.cells)},
                   {.text = fmt::format("{:.3g}", a_call), .value = a_call}};
      if (sum.has_time) {
        row.cells.push_back({.text = micros_text(sum.us), .value = sum.us});
        row.cells.push_back(
            part_cell(provider.us > 0 ? std::optional(sum.us / provider.us) : std::nullopt));
      } else {
        row.cells.push_back(absent_cell());
        row.cells.push_back(absent_cell());
      }
    }
  }
  if (table.rows.empty()) table.notes.emplace_back("no provider of this run named its kernels");
  return table;
}

}  // namespace strobe::report
