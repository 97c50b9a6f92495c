#include "strobe/report/bench/bench_page.h"

#include <algorithm>
#include <functional>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/bench/judge/ratio_checks.h"
#include "strobe/report/bench/cell_text.h"
#include "strobe/report/bench/grid_tables.h"
#include "strobe/report/render/format.h"
#include "strobe/report/render/json_rows.h"

namespace strobe::report {
namespace {

using bench::GridMetric;
using bench::RatioGrid;
using bench::TunedShape;

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
         is_among(choice.contenders, grid.provider());
}

bool shows(BenchTableKind kind, const RatioGrid& grid) {
  switch (kind) {
    case BenchTableKind::kOverview:
      return true;
    case BenchTableKind::kRelative:
      return grid.metric == GridMetric::kRelativePerformance;
    case BenchTableKind::kAttention:
      return grid.metric == GridMetric::kRelativePerformance && bench::is_attention(grid.case_id);
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

// The grids that a table shows. If the file has only the inverse ratio, that is inverted.
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

// For CSV, before all other tables.
void add_ratios(Document& page, const std::vector<RatioGrid>& grids) {
  if (grids.empty()) return;
  if (page.sections.empty() || !page.sections.front().is_csv_only) {
    page.sections.insert(page.sections.begin(), ratio_rows());
  }
  for (const RatioGrid& grid : grids) add_ratio_rows(page.sections.front(), grid);
}

void add_bandwidth(Document& page, const std::vector<RatioGrid>& grids, std::string_view missing) {
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
    std::ranges::move(bandwidth_tables(one, missing), std::back_inserter(page.sections));
  }
}

Measure whole_cell(std::int64_t number) {
  return {.text = fmt::format("{}", number), .value = static_cast<double>(number)};
}

std::string block_text(const TunedShape& tuned) {
  return fmt::format("{}x{}", tuned.block_x, tuned.block_y);
}

bool is_chosen(const TunedShape& tuned, const BenchChoice& choice) {
  return is_among(choice.devices, tuned.device) && is_among(choice.cases, tuned.case_id) &&
         (choice.shapes.empty() ||
          std::ranges::find(choice.shapes, tuned.shape) != choice.shapes.end());
}

// How often each was chosen, the most frequent first: "32x64 (9 of 24 shapes), 32x16 (8)".
template <class Text>
std::string ranking(const std::vector<TunedShape>& shapes, const Text& text_of) {
  std::map<std::string, std::size_t> counts;
  for (const TunedShape& tuned : shapes) ++counts[text_of(tuned)];
  std::vector<std::pair<std::string, std::size_t>> ranked(counts.begin(), counts.end());
  std::ranges::stable_sort(ranked, std::greater<>(), &std::pair<std::string, std::size_t>::second);
  std::vector<std::string> words;
  for (const auto& [text, count] : ranked) {
    words.push_back(words.empty()
                        ? fmt::format("{} ({} of {})", text, count, counted(shapes.size(), "shape"))
                        : fmt::format("{} ({})", text, count));
  }
  return fmt::format("{}", fmt::join(words, ", "));
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

void add_grid_tables(Document& page, BenchTableKind kind, const std::vector<RatioGrid>& grids,
                     std::string_view missing) {
  if (kind == BenchTableKind::kOverview) {
    Section table = overview_table(grids);
    if (!table.table.rows.empty()) page.sections.push_back(std::move(table));
    return;
  }
  bool is_turned = false;
  const std::vector<RatioGrid> shown = grids_for(kind, grids, is_turned);
  add_ratios(page, shown);
  if (kind == BenchTableKind::kBandwidth) return add_bandwidth(page, shown, missing);
  for (const RatioGrid& grid : shown) {
    page.sections.push_back(grid_table(grid, missing));
    if (is_turned) {
      page.sections.back().notes.push_back(
          "inverted from the other ratio, with the digits that one has");
    }
  }
}

Fact bench_fact(std::string label, std::string text) {
  return {
      .key = label, .label = label, .value = Text{std::move(text)}, .remark = "", .is_long = true};
}

void end_page(Document& page, const std::vector<std::string>& remarks,
              const std::vector<bench::IdentityCheck>& laws) {
  page.schema = "strobe.bench_tables";
  if (!page.sections.empty() && page.sections.front().is_csv_only) {
    for (Section& section : page.sections) section.is_remark |= section.key == "overview";
  }
  Section fit;
  fit.key = "identities";
  fit.title = "Consistency of the tables";
  ToolData checks{.key = "identities", .items = {}};
  for (const bench::IdentityCheck& check : laws) {
    (check.violations.empty() ? fit.notes : fit.warnings).push_back(identity_text(check));
    JsonWriter json(checks.items.emplace_back());
    json.begin_object()
        .member("law", check.law)
        .member("cells", check.cells)
        .member("worst", check.worst)
        .member("worst_cell", check.worst_cell);
    write_texts(json, "violations", check.violations);
    json.end_object();
  }
  Section remark_section;
  remark_section.key = "remarks";
  remark_section.title = "Remarks";
  remark_section.notes = remarks;
  ToolData texts{.key = "remarks", .items = {}};
  for (const std::string& remark : remarks) append_json_string(remark, texts.items.emplace_back());
  for (Section* section : {&fit, &remark_section}) {
    if (!is_empty(*section)) page.sections.push_back(std::move(*section));
  }
  page.data = {std::move(checks), std::move(texts)};
}

Result<Document> grids_page(const bench::RatioGrids& grids, const BenchChoice& choice) {
  Document page;
  page.title = "strobe bench: tables of ratios";
  std::vector<RatioGrid> chosen;
  std::ranges::copy_if(grids.grids, std::back_inserter(chosen),
                       [&](const RatioGrid& grid) { return is_chosen(grid, choice); });
  if (chosen.empty()) {
    return nothing_to_show("no table of this file matches all filters",
                           "`strobe bench show FILE --table overview` lists the tables");
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
    const std::size_t before = page.sections.size();
    add_grid_tables(page, kind, chosen, choice.missing);
    if (page.sections.size() == before) {
      return nothing_to_show(
          fmt::format("this file has no data for --table {}", table_name(kind)),
          kind >= BenchTableKind::kTimes
              ? "it needs times: use a file written by `strobe bench run -o run.json`"
              : "`strobe bench show FILE --table overview` lists the tables");
    }
  }
  bench::RatioGrids of_cases;  // an identity joins tables of several devices
  std::ranges::copy_if(grids.grids, std::back_inserter(of_cases.grids), [&](const RatioGrid& grid) {
    return is_among(choice.cases, grid.case_id) && is_among(choice.versions, grid.version);
  });
  std::vector<bench::IdentityCheck> laws = bench::check_identities(of_cases);
  std::erase_if(laws, [](const auto& check) { return check.cells == 0; });
  end_page(page, grids.remarks, laws);
  return page;
}

Result<Document> tuning_page(const bench::TunedShapes& tuned, const BenchChoice& choice) {
  std::vector<TunedShape> shapes;
  std::ranges::copy_if(tuned.shapes, std::back_inserter(shapes),
                       [&](const TunedShape& one) { return is_chosen(one, choice); });
  if (shapes.empty()) {
    return nothing_to_show("no shape of this file matches all filters",
                           "remove --shape, --device or --case");
  }
  Section table = list_section("tuning", "What the tuner chose",
                               "The fastest candidate that the tuner found for each shape.", "case",
                               {{"device", "device", true},
                                {"shape", "shape", true},
                                {"block", "block", true},
                                {"warps", "warps"},
                                {"stages", "stages"},
                                {"shared_bytes", "shared"}});
  for (const TunedShape& one : shapes) {
    table.table.rows.push_back(
        {{Text{one.case_id}, Text{one.device}, Text{bench::shape_text(one.shape)},
          Text{block_text(one)}, whole_cell(one.warps), whole_cell(one.stages),
          amount_cell(static_cast<double>(one.shared_bytes))}});
  }
  table.notes = {
      fmt::format("blocks: {}", ranking(shapes, block_text)),
      fmt::format("warps: {}",
                  ranking(shapes, [](const TunedShape& one) { return std::to_string(one.warps); })),
      fmt::format("stages: {}", ranking(shapes, [](const TunedShape& one) {
                    return std::to_string(one.stages);
                  }))};
  Document page;
  page.title = "strobe bench: what the tuner chose";
  page.sections = {std::move(table)};
  end_page(page, tuned.remarks);
  return page;
}

}  // namespace strobe::report
