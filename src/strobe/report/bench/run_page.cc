#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/bench/judge/kernel_signature.h"
#include "strobe/report/bench/bench_page.h"
#include "strobe/report/bench/cell_text.h"
#include "strobe/report/bench/run_tables.h"
#include "strobe/report/render/format.h"

namespace strobe::report {
namespace {

using bench::BenchRun;
using bench::CellRecord;
using bench::GridMetric;
using bench::RatioGrid;

bool is_chosen_record(const CellRecord& record, const BenchChoice& choice) {
  return is_among(choice.cases, record.cell.case_id) &&
         is_among(choice.dtypes, std::string(bench::dtype_name(record.cell.dtype))) &&
         (choice.shapes.empty() ||
          std::ranges::find(choice.shapes, record.cell.shape) != choice.shapes.end());
}

BenchRun chosen_of(const BenchRun& run, const BenchChoice& choice) {
  BenchRun chosen = {.header = run.header, .cells = {}, .remarks = run.remarks};
  std::ranges::copy_if(run.cells, std::back_inserter(chosen.cells),
                       [&](const CellRecord& record) { return is_chosen_record(record, choice); });
  return chosen;
}

Error no_cell_is_left(const BenchRun& run) {
  return nothing_to_show(
      run.cells.empty() ? "this run has no cells" : "no cell of this run matches all filters",
      run.cells.empty() ? "" : "remove --shape, --dtype or --case");
}

struct CaseOfType {
  std::string case_id;
  bench::DType dtype;
  bool operator==(const CaseOfType&) const = default;
};

std::vector<CaseOfType> cases_of(const BenchRun& run) {
  std::vector<CaseOfType> cases;
  for (const CellRecord& record : run.cells) {
    const CaseOfType one = {record.cell.case_id, record.cell.dtype};
    if (std::ranges::find(cases, one) == cases.end()) cases.push_back(one);
  }
  return cases;
}

void judge_all(BenchRun& run, const std::string& baseline) {
  for (const CellRecord& theirs : run.cells) {
    if (theirs.cell.provider != baseline) continue;
    for (CellRecord& ours : run.cells) {
      if (ours.cell.provider == baseline || ours.cell.case_id != theirs.cell.case_id ||
          ours.cell.shape != theirs.cell.shape || ours.cell.dtype != theirs.cell.dtype) {
        continue;
      }
      bench::judge_pair(theirs, ours);
    }
  }
}

void append_tables(std::vector<RatioGrid>& grids, const RatioGrid& grid) {
  std::ranges::move(bench::tables_of(grid), std::back_inserter(grids));
}

std::optional<GridMetric> metric_of(BenchTableKind kind) {
  switch (kind) {
    case BenchTableKind::kOverview:
    case BenchTableKind::kRelative:
      return GridMetric::kRelativePerformance;
    case BenchTableKind::kOverhead:
      return GridMetric::kRelativeOverhead;
    case BenchTableKind::kBandwidth:
      return GridMetric::kBandwidth;
    default:
      return std::nullopt;
  }
}

// Attention tables have a block for every pair: each contender against earlier ones, the nearest
// first, then against the baseline; blocks of one head size are together.
std::vector<RatioGrid> attention_grids(const BenchRun& run, const BenchChoice& choice) {
  std::vector<std::string> contenders = providers_of(run);
  std::erase(contenders, choice.baseline);
  std::vector<RatioGrid> grids;
  for (const auto& [case_id, dtype] : cases_of(run)) {
    if (!bench::is_attention(case_id)) continue;
    std::vector<RatioGrid> blocks;
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      std::vector<std::string> sides(contenders.rend() - static_cast<std::ptrdiff_t>(i),
                                     contenders.rend());
      sides.push_back(choice.baseline);
      for (const std::string& side : sides) {
        append_tables(blocks, bench::ratio_grid(run, case_id, dtype, side, contenders[i],
                                                GridMetric::kRelativePerformance, choice.mode));
      }
    }
    std::vector<std::string> variants;
    for (const RatioGrid& block : blocks) {
      if (std::ranges::find(variants, block.variant) == variants.end()) {
        variants.push_back(block.variant);
      }
    }
    for (const std::string& variant : variants) {
      std::ranges::copy_if(blocks, std::back_inserter(grids),
                           [&](const RatioGrid& block) { return block.variant == variant; });
    }
  }
  return grids;
}

std::vector<RatioGrid> grids_of(const BenchRun& run, GridMetric metric, const BenchChoice& choice) {
  std::vector<RatioGrid> grids;
  for (const auto& [case_id, dtype] : cases_of(run)) {
    for (const std::string& provider : providers_of(run)) {
      const bool is_rate = metric == GridMetric::kBandwidth;
      if (!is_among(choice.contenders, provider) || (!is_rate && provider == choice.baseline)) {
        continue;
      }
      append_tables(grids, bench::ratio_grid(run, case_id, dtype, choice.baseline, provider, metric,
                                             choice.mode));
    }
  }
  return grids;
}

void add_table(Document& page, BenchTableKind kind, const BenchRun& run,
               const BenchChoice& choice) {
  if (kind == BenchTableKind::kAttention) {
    return add_grid_tables(page, kind, attention_grids(run, choice), choice.missing);
  }
  if (const auto metric = metric_of(kind)) {
    return add_grid_tables(page, kind, grids_of(run, *metric, choice), choice.missing);
  }
  const RunTableOptions options = {choice.baseline, choice.missing, choice.is_net};
  Section table;
  if (kind == BenchTableKind::kTimes) table = times_table(run, options);
  if (kind == BenchTableKind::kAccuracy) table = accuracy_table(run, options);
  if (kind == BenchTableKind::kRoofline) table = roofline_table(run, options);
  if (kind == BenchTableKind::kMemory) table = memory_table(run, options);
  if (kind == BenchTableKind::kTraffic) table = traffic_table(run, options);
  if (kind == BenchTableKind::kKernels) table = kernels_table(run, options);
  if (kind == BenchTableKind::kApi) table = api_table(run, options);
  if (kind == BenchTableKind::kFlags) table = flags_table(run, options);
  if (!table.key.empty()) page.sections.push_back(std::move(table));
}

void describe(Document& page, const BenchRun& run) {
  const bench::RunHeader& header = run.header;
  const auto fact = [&](std::string label, std::string text) {
    if (!text.empty()) page.facts.push_back(bench_fact(std::move(label), std::move(text)));
  };
  std::vector<std::string> libraries;
  if (!header.driver.empty()) libraries.push_back(fmt::format("driver {}", header.driver));
  for (const auto& [name, version] : header.libraries) {
    libraries.push_back(fmt::format("{} {}", name, version));
  }
  fact("device", header.device);
  fact("software", fmt::format("{}", fmt::join(libraries, ", ")));
  fact("method", fmt::format("L2 {}, stop {}, seed {}{}", header.method.flush, header.method.stop,
                             header.method.seed,
                             header.method.hold == bench::Hold::kNone ? ", hold:none" : ""));
  fact("started", header.started);
  fact("command", header.command_line);
}

std::vector<BenchTableKind> usual_tables(std::size_t providers, bool is_net) {
  if (is_net) return {BenchTableKind::kTimes};  // ratios use the measured times
  if (providers < 2) {
    return {BenchTableKind::kTimes, BenchTableKind::kRoofline, BenchTableKind::kFlags};
  }
  return {BenchTableKind::kOverview, BenchTableKind::kRelative, BenchTableKind::kFlags};
}

}  // namespace

std::vector<std::string> providers_of(const BenchRun& run) {
  std::vector<std::string> providers;
  for (const CellRecord& record : run.cells) {
    if (std::ranges::find(providers, record.cell.provider) == providers.end()) {
      providers.push_back(record.cell.provider);
    }
  }
  return providers;
}

std::string usual_baseline(const std::vector<std::string>& providers) {
  for (const std::string_view mark : {"eager", "unfused"}) {
    for (const std::string& provider : providers) {
      if (provider.ends_with(mark)) return provider;
    }
  }
  return providers.empty() ? "" : providers.front();
}

Result<Document> run_page(const BenchRun& run, const BenchChoice& asked) {
  BenchChoice choice = asked;
  if (choice.baseline.empty()) choice.baseline = usual_baseline(providers_of(run));
  BenchRun shown = chosen_of(run, choice);
  std::erase_if(shown.cells, [&](const CellRecord& record) {
    return record.cell.provider != choice.baseline &&
           !is_among(choice.contenders, record.cell.provider);
  });
  if (shown.cells.empty()) return no_cell_is_left(run);
  judge_all(shown, choice.baseline);
  Document page;
  page.title = fmt::format("strobe bench: {}", run.header.run.empty() ? "a run" : run.header.run);
  describe(page, shown);
  const std::vector<BenchTableKind> kinds =
      choice.tables.empty() ? usual_tables(providers_of(shown).size(), choice.is_net)
                            : choice.tables;
  for (const BenchTableKind kind : kinds) {
    const std::size_t before = page.sections.size();
    add_table(page, kind, shown, choice);
    if (choice.tables.empty() && page.sections.size() > before &&
        page.sections.back().table.rows.empty()) {
      page.sections.pop_back();  // an empty table that was not requested
    }
    if (page.sections.size() > before || choice.tables.empty()) continue;
    return nothing_to_show(
        fmt::format("this run has no data for --table {}", table_name(kind)),
        kind == BenchTableKind::kDevice
            ? "give two runs: `strobe bench show a100.json rtx3090.json --table device`"
            : fmt::format("its providers: {}", fmt::join(providers_of(run), ", ")));
  }
  std::ranges::move(roof_figures(shown), std::back_inserter(page.sections));
  end_page(page, shown.remarks);
  return page;
}

Result<Document> devices_page(const BenchRun& run, const BenchRun& other,
                              const BenchChoice& choice) {
  const BenchRun chosen = chosen_of(run, choice);
  if (chosen.cells.empty()) return no_cell_is_left(run);
  std::vector<RatioGrid> grids;
  const std::vector<std::string> others = providers_of(other);
  for (const auto& [case_id, dtype] : cases_of(chosen)) {
    for (const std::string& provider : providers_of(chosen)) {
      if (!is_among(choice.contenders, provider) ||
          std::ranges::find(others, provider) == others.end()) {
        continue;
      }
      append_tables(grids,
                    bench::device_grid(chosen, other, case_id, dtype, provider, choice.mode));
    }
  }
  Document page;
  page.title = fmt::format("strobe bench: {} against {}", run.header.device, other.header.device);
  std::vector<std::string> remarks = run.remarks;
  remarks.insert(remarks.end(), other.remarks.begin(), other.remarks.end());
  if (!(run.header.method == other.header.method)) {
    remarks.emplace_back(
        "the two runs were timed by different methods, which also affects their ratio");
  }
  std::vector<BenchTableKind> kinds = choice.tables;
  if (kinds.empty() && grids.size() > 1) kinds.push_back(BenchTableKind::kOverview);
  if (choice.tables.empty()) kinds.push_back(BenchTableKind::kDevice);
  for (const BenchTableKind kind : kinds) add_grid_tables(page, kind, grids, choice.missing);
  if (page.sections.empty()) {
    return nothing_to_show("the two runs have no case and provider in common", "");
  }
  end_page(page, remarks);
  return page;
}

}  // namespace strobe::report
