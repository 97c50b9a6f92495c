#include "strobe/report/bench/bench_page.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/bench/judge/identities.h"
#include "strobe/report/bench/bench_choice.h"
#include "strobe/report/bench/grid_tables.h"

namespace strobe::report {
namespace {

using bench::GridMetric;
using bench::RatioGrid;

constexpr std::pair<BenchTableKind, std::string_view> kNames[] = {
    {BenchTableKind::kOverview, "overview"},
    {BenchTableKind::kRelative, "relative"},
    {BenchTableKind::kOverhead, "overhead"},
    {BenchTableKind::kDevice, "device"},
    {BenchTableKind::kAttention, "attention"},
    {BenchTableKind::kBandwidth, "bandwidth"},
    {BenchTableKind::kTimes, "times"},
    {BenchTableKind::kAccuracy, "accuracy"},
    {BenchTableKind::kRoofline, "roofline"},
    {BenchTableKind::kMemory, "memory"},
    {BenchTableKind::kTraffic, "traffic"},
    {BenchTableKind::kKernels, "kernels"},
    {BenchTableKind::kApi, "api"},
    {BenchTableKind::kFlags, "flags"}};

bool is_chosen(const RatioGrid& grid, const BenchChoice& choice) {
  const bool has_pair = grid.metric == GridMetric::kRelativePerformance ||
                        grid.metric == GridMetric::kRelativeOverhead;
  return is_among(choice.versions, grid.version) && is_among(choice.devices, grid.device) &&
         is_among(choice.cases, grid.case_id) && is_among(choice.dtypes, grid.dtype) &&
         (choice.baseline.empty() || !has_pair || grid.baseline == choice.baseline) &&
         is_among(choice.contenders, grid.contender.substr(0, grid.contender.find('@')));
}

bool shows(BenchTableKind kind, const RatioGrid& grid) {
  switch (kind) {
    case BenchTableKind::kOverview:
      return true;
    case BenchTableKind::kRelative:
      return grid.metric == GridMetric::kRelativePerformance;
    case BenchTableKind::kAttention:
      return grid.metric == GridMetric::kRelativePerformance &&
             grid.case_id.starts_with("attention");
    case BenchTableKind::kOverhead:
      return grid.metric == GridMetric::kRelativeOverhead;
    case BenchTableKind::kDevice:
      return grid.metric == GridMetric::kDeviceSpeedup;
    case BenchTableKind::kBandwidth:
      return grid.metric == GridMetric::kBandwidth;
    default:
      return false;
  }
}

// The other of the two ratios, cell by cell; 100 % is 1.
RatioGrid turned_over(RatioGrid grid) {
  const bool was_overhead = grid.metric == GridMetric::kRelativeOverhead;
  grid.metric = was_overhead ? GridMetric::kRelativePerformance : GridMetric::kRelativeOverhead;
  for (bench::GridCell& cell : grid.cells) {
    if (cell.value) cell.value = 100 / *cell.value;
  }
  return grid;
}

// The grids that a table shows. A ratio that the file has only the other way round is turned over.
std::vector<RatioGrid> grids_for(BenchTableKind kind, const std::vector<RatioGrid>& grids,
                                 bool& is_turned) {
  std::vector<RatioGrid> shown;
  std::ranges::copy_if(grids, std::back_inserter(shown),
                       [&](const RatioGrid& grid) { return shows(kind, grid); });
  is_turned = false;
  if (!shown.empty()) return shown;
  const bool is_ratio = kind == BenchTableKind::kRelative || kind == BenchTableKind::kOverhead;
  for (const RatioGrid& grid : grids) {
    const bool is_other = grid.metric == GridMetric::kRelativeOverhead ||
                          grid.metric == GridMetric::kRelativePerformance;
    if (is_ratio && is_other) shown.push_back(turned_over(grid));
  }
  is_turned = !shown.empty();
  return shown;
}

void add_bandwidth(BenchPage& page, const std::vector<RatioGrid>& grids, std::string_view missing) {
  std::vector<std::vector<RatioGrid>> cases;  // of one case and origin each
  for (const RatioGrid& grid : grids) {
    const auto found = std::ranges::find_if(cases, [&](const std::vector<RatioGrid>& known) {
      const RatioGrid& first = known.front();
      return first.case_id == grid.case_id && first.version == grid.version &&
             first.device == grid.device && first.dtype == grid.dtype &&
             first.variant == grid.variant;
    });
    if (found == cases.end()) {
      cases.push_back({grid});
    } else {
      found->push_back(grid);
    }
  }
  for (const std::vector<RatioGrid>& one : cases) {
    std::ranges::move(bandwidth_tables(one, missing), std::back_inserter(page.tables));
  }
}

}  // namespace

std::string_view table_name(BenchTableKind kind) {
  for (const auto& [known, name] : kNames) {
    if (known == kind) return name;
  }
  return "";
}

std::vector<std::string_view> table_names() {
  std::vector<std::string_view> names;
  for (const auto& [kind, name] : kNames) names.push_back(name);
  return names;
}

std::optional<BenchTableKind> find_table(std::string_view name) {
  for (const auto& [kind, known] : kNames) {
    if (known == name) return kind;
  }
  return std::nullopt;
}

bool is_among(const std::vector<std::string>& chosen, const std::string& name) {
  return chosen.empty() || std::ranges::find(chosen, name) != chosen.end();
}

Error nothing_to_show(std::string_view what, std::string_view hint) {
  return {.code = ErrorCode::kTooLittleData,
          .what = std::string(what),
          .where = "",
          .hint = std::string(hint)};
}

void add_grid_tables(BenchPage& page, BenchTableKind kind, const std::vector<RatioGrid>& grids,
                     std::string_view missing) {
  if (kind == BenchTableKind::kOverview) {
    BenchTable table = overview_table(grids);
    if (!table.rows.empty()) page.tables.push_back(std::move(table));
    return;
  }
  bool is_turned = false;
  const std::vector<RatioGrid> shown = grids_for(kind, grids, is_turned);
  if (kind == BenchTableKind::kBandwidth) return add_bandwidth(page, shown, missing);
  for (const RatioGrid& grid : shown) {
    page.tables.push_back(grid_table(grid, missing));
    if (is_turned) {
      page.tables.back().notes.push_back(
          "turned over from the other ratio, with no more digits than that had");
    }
  }
}

Result<BenchPage> grids_page(const bench::RatioGrids& grids, const BenchChoice& choice) {
  BenchPage page;
  page.title = "strobe bench: tables of ratios";
  page.remarks = grids.remarks;
  std::vector<RatioGrid> chosen;
  std::ranges::copy_if(grids.grids, std::back_inserter(chosen),
                       [&](const RatioGrid& grid) { return is_chosen(grid, choice); });
  if (chosen.empty()) {
    return nothing_to_show("no table of this file is of all that was asked for",
                           "`strobe bench show FILE --table overview` lists what there is");
  }
  std::vector<BenchTableKind> kinds = choice.tables;
  if (kinds.empty()) {
    kinds = {BenchTableKind::kOverhead, BenchTableKind::kRelative, BenchTableKind::kDevice,
             BenchTableKind::kBandwidth};
    std::erase_if(kinds, [&](BenchTableKind kind) {
      return std::ranges::none_of(chosen, [&](const RatioGrid& grid) { return shows(kind, grid); });
    });
    if (chosen.size() > 1) kinds.insert(kinds.begin(), BenchTableKind::kOverview);
  }
  for (const BenchTableKind kind : kinds) {
    const std::size_t before = page.tables.size();
    add_grid_tables(page, kind, chosen, choice.missing);
    if (page.tables.size() == before) {
      return nothing_to_show(
          fmt::format("these tables of ratios have nothing for --table {}", table_name(kind)),
          kind >= BenchTableKind::kTimes
              ? "it needs times: a file that `strobe bench run -o run.json` wrote"
              : "`strobe bench show FILE --table overview` lists what there is");
    }
  }
  bench::RatioGrids of_cases;  // a law ties tables of several devices together
  std::ranges::copy_if(grids.grids, std::back_inserter(of_cases.grids), [&](const RatioGrid& grid) {
    return is_among(choice.cases, grid.case_id) && is_among(choice.versions, grid.version);
  });
  page.identities = bench::check_identities(of_cases);
  std::erase_if(page.identities, [](const auto& check) { return check.cells == 0; });
  return page;
}

}  // namespace strobe::report
