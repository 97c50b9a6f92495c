#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/report/kernels/kernel_numbers.h"
#include "strobe/report/kernels/kernel_report.h"
#include "strobe/report/render/format.h"

namespace strobe::report {
namespace {

using analysis::KernelBound;
using analysis::KernelGroup;
using analysis::KernelGrouping;
using analysis::KernelLayers;
using analysis::KernelOrder;
using analysis::KernelStudy;
using analysis::KernelSums;

constexpr const char* kTimeWords = "time of all launches";

Column name_of_rows(std::string header, ColumnType type) {
  return {.key = "name",
          .header = std::move(header),
          .type = type,
          .importance = 20,
          .least_width = type == ColumnType::kName ? 28u : 20u};
}

Column peak_column(std::string key, std::string header, std::string peak) {
  return {.key = std::move(key),
          .header = std::move(header),
          .type = ColumnType::kShare,
          .importance = 16,
          .share_of = std::move(peak)};
}

// The columns of every table of sums, after the name of its rows.
std::vector<Column> sum_columns() {
  return {{"launches", "count", ColumnType::kCount, 12},
          {"total_ns", "total", ColumnType::kDuration, 18},
          {.key = "share",
           .header = "share",
           .type = ColumnType::kShare,
           .importance = 17,
           .share_of = kTimeWords,
           .balanced = true},
          peak_column("tensor_share", "Tensor", "peak of the matrix pipe"),
          peak_column("dram_share", "DRAM", "peak DRAM rate"),
          {"headroom_ns", "headroom", ColumnType::kDuration, 15},
          {.key = "headroom_share",
           .header = "of all\ntime",
           .type = ColumnType::kShare,
           .importance = 6,
           .share_of = kTimeWords}};
}

std::vector<Cell> sum_cells(const KernelSums& sums, const KernelSums& whole) {
  return {Count{sums.launches},
          Duration{sums.latency_ns},
          Share{sums.share_of(whole)},
          percent_cell(sums.tensor_percent()),
          percent_cell(sums.dram_percent()),
          time_cell(sums.headroom_ns()),
          share_cell(sums.headroom_share_of(whole))};
}

std::string title_of(KernelGrouping grouping) {
  switch (grouping) {
    case KernelGrouping::kName:
      return "Kernels by name";
    case KernelGrouping::kFamily:
      return "Kernels by family";
    case KernelGrouping::kBound:
      return "Kernels by what limits them";
    case KernelGrouping::kShape:
      return "Kernels by name and launch shape";
    case KernelGrouping::kPosition:
      return "Kernels by position in a layer";
    case KernelGrouping::kLayer:
      return "Layers";
  }
  return "";
}

std::string order_words(KernelOrder order, bool has_own_order) {
  switch (order) {
    case KernelOrder::kTime:
      return "most time first";
    case KernelOrder::kHeadroom:
      return "most headroom first";
    case KernelOrder::kCount:
      return "most launches first";
    case KernelOrder::kName:
      return has_own_order ? "as they ran" : "by name";
  }
  return "";
}

std::string group_lead(const KernelStudy& study, const KernelPage& page) {
  const bool has_own_order =
      page.grouping == KernelGrouping::kPosition || page.grouping == KernelGrouping::kLayer;
  std::string text = fmt::format("{}; share is of the {}.", order_words(page.order, has_own_order),
                                 duration_text(study.totals.latency_ns));
  if (study.totals.headroom_ns()) {
    text +=
        " Tensor (the matrix pipe) and DRAM: percent of the peak, weighted by time. Headroom: time "
        "saved if the busier of the two ran at its peak; an upper bound.";
  }
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

std::vector<Column> group_columns(bool is_kernel) {
  return {{"index", "#", ColumnType::kNumber, 19},
          name_of_rows(is_kernel ? "kernel" : "group",
                       is_kernel ? ColumnType::kName : ColumnType::kText),
          {.key = "family", .header = "family", .for_tools = true},
          {"launches", "count", ColumnType::kCount, 12},
          {"total_ns", "total", ColumnType::kDuration, 18},
          {.key = "share",
           .header = "share",
           .type = ColumnType::kShare,
           .importance = 17,
           .share_of = kTimeWords},
          {.key = "cumulative_share",
           .header = "share\nso far",
           .type = ColumnType::kShare,
           .importance = 5,
           .share_of = kTimeWords},
          {"mean_ns", "mean", ColumnType::kDuration, 9},
          {"min_ns", "min", ColumnType::kDuration, 3},
          {"max_ns", "max", ColumnType::kDuration, 4},
          peak_column("tensor_share", "Tensor", "peak of the matrix pipe"),
          peak_column("dram_share", "DRAM", "peak DRAM rate"),
          {.key = "bound", .header = "bound", .importance = 14, .least_width = 14},
          {"headroom_ns", "headroom", ColumnType::kDuration, 15},
          {.key = "achievable_ns",
           .header = "achievable",
           .type = ColumnType::kDuration,
           .for_tools = true}};
}

std::vector<Cell> group_cells(const KernelGroup& group, const KernelStudy& study) {
  const KernelSums& sums = group.sums;
  const bool is_unknown = group.bound == KernelBound::kUnknown;
  return {group.index ? Cell{Text{std::to_string(*group.index)}} : Cell{Absent{}},
          Text{group.name},
          group.family.empty() || group.family == group.name ? Cell{Absent{}}
                                                             : Cell{Text{group.family}},
          Count{sums.launches},
          Duration{sums.latency_ns},
          Share{sums.share_of(study.totals)},
          Share{group.cumulative_share},
          Duration{std::llround(sums.mean_ns())},
          Duration{sums.least_ns},
          Duration{sums.most_ns},
          percent_cell(sums.tensor_percent()),
          percent_cell(sums.dram_percent()),
          is_unknown ? Cell{Absent{}} : Cell{Text{std::string(word_of(group.bound))}},
          time_cell(sums.headroom_ns()),
          time_cell(sums.achievable_headroom_ns())};
}

bool is_of_kernels(KernelGrouping grouping) {
  return grouping == KernelGrouping::kName || grouping == KernelGrouping::kShape ||
         grouping == KernelGrouping::kPosition;
}

Section sums_section(const KernelStudy& study, KernelGrouping grouping, std::string header) {
  Section section;
  section.title = title_of(grouping);
  section.table.columns = sum_columns();
  section.table.columns.insert(section.table.columns.begin(),
                               name_of_rows(std::move(header), ColumnType::kText));
  for (const KernelGroup& group : analysis::group_kernels(study, grouping)) {
    std::vector<Cell> cells = sum_cells(group.sums, study.totals);
    cells.insert(cells.begin(), Text{group.name});
    section.table.rows.push_back({std::move(cells)});
  }
  return section;
}

Row structure_row(std::string name, const KernelSums& sums, const KernelSums& whole) {
  std::vector<Cell> cells = sum_cells(sums, whole);
  cells.insert(cells.begin(), Text{std::move(name)});
  return {std::move(cells)};
}

std::string layer_note(const KernelLayers& layers) {
  const auto [least, most] = std::ranges::minmax_element(layers.layer_ns);
  return fmt::format(
      "A layer takes {} on average, {} to {}.",
      duration_text(layers.inside.latency_ns /
                    static_cast<std::int64_t>(std::max<std::size_t>(layers.layers, 1))),
      duration_text(*least), duration_text(*most));
}

std::string odd_layer_note(const KernelLayers& layers) {
  std::vector<std::int64_t> sorted = layers.layer_ns;
  std::ranges::sort(sorted);
  const auto median = static_cast<double>(sorted[sorted.size() / 2]);
  std::vector<std::string> words;
  for (const std::size_t layer : layers.odd_layers) {
    const auto ns = static_cast<double>(layers.layer_ns[layer]);
    words.push_back(fmt::format("{} ({:+.1f} %)", layer, 100 * (ns / median - 1)));
  }
  return fmt::format("Outliers, more than 3 MAD from the median: layer{} {}.",
                     words.size() == 1 ? "" : "s", fmt::join(words, ", "));
}

}  // namespace

Section kernel_group_section(const KernelStudy& study, const KernelPage& page) {
  Section section;
  section.key = "groups";
  section.title = title_of(page.grouping);
  section.lead = group_lead(study, page);
  section.table.columns = group_columns(is_of_kernels(page.grouping));
  const std::vector<KernelGroup> groups =
      analysis::group_kernels(study, page.grouping, page.names, page.order);
  const std::size_t shown = page.top == 0 ? groups.size() : std::min(page.top, groups.size());
  KernelSums rest;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (i < shown) {
      section.table.rows.push_back({group_cells(groups[i], study)});
    } else {
      rest.add(groups[i].sums);
    }
  }
  section.table.rows_left_out = groups.size() - shown;
  if (shown < groups.size()) {
    section.table.left_out =
        fmt::format("{} more: {}, {} ({} of all)", count_text(groups.size() - shown),
                    launches_text(rest.launches), duration_text(rest.latency_ns),
                    percent_text(rest.share_of(study.totals)));
  }
  return section;
}

Section kernel_family_section(const KernelStudy& study) {
  Section section = sums_section(study, KernelGrouping::kFamily, "family");
  section.key = "families";
  return section;
}

Section kernel_bound_section(const KernelStudy& study) {
  if (!study.totals.headroom_ns()) return {};
  Section section = sums_section(study, KernelGrouping::kBound, "limited by");
  section.key = "classes";
  section.lead =
      "Bound: the busier of Tensor and DRAM is at 60 % of its peak or more; leaning: at 30 %; "
      "latency-bound: below.";
  return section;
}

Section kernel_structure_section(const KernelStudy& study) {
  Section section;
  section.key = "structure";
  section.title = "Structure";
  if (!study.layers) return section;
  const KernelLayers& layers = *study.layers;
  section.lead =
      fmt::format("The same {} kernels repeat {} times.", layers.rows_per_layer, layers.layers);
  section.table.columns = sum_columns();
  section.table.columns.insert(section.table.columns.begin(),
                               name_of_rows("part", ColumnType::kText));
  if (layers.prologue_rows > 0) {
    section.table.rows.push_back(structure_row("prologue", layers.prologue, study.totals));
  }
  section.table.rows.push_back(
      structure_row(fmt::format("{} layers of {}", layers.layers, layers.rows_per_layer),
                    layers.inside, study.totals));
  if (layers.epilogue_rows > 0) {
    section.table.rows.push_back(structure_row("epilogue", layers.epilogue, study.totals));
  }
  section.notes.push_back(layer_note(layers));
  if (!layers.odd_layers.empty()) section.notes.push_back(odd_layer_note(layers));
  return section;
}

Section kernel_short_section(const KernelStudy& study) {
  Section section;
  section.key = "short_kernels";
  section.title = "Short kernels";
  if (study.under_20us.launches == 0) return section;
  section.lead =
      "A kernel below 10 us mostly starts and ends: its fractions say little, and fewer launches "
      "help more than faster kernels.";
  section.table.columns = sum_columns();
  section.table.columns.insert(section.table.columns.begin(),
                               name_of_rows("launches", ColumnType::kText));
  for (const auto& [name, sums] :
       {std::pair("under 10 us", &study.under_10us), std::pair("under 20 us", &study.under_20us)}) {
    std::vector<Cell> cells = sum_cells(*sums, study.totals);
    cells.insert(cells.begin(), Text{name});
    section.table.rows.push_back({std::move(cells)});
  }
  for (Column& column : section.table.columns) column.balanced = false;
  return section;
}

Section kernel_work_section(const KernelStudy& study, const KernelPage& page) {
  Section section;
  section.key = "work_units";
  section.title = "Matrix work per launch";
  section.lead =
      "Latency x Tensor is proportional to the matrix work of a launch, so shapes can be checked "
      "from counters alone; 1.00 is the most frequent matrix kernel.";
  section.table.columns = {name_of_rows("kernel", ColumnType::kName),
                           {"launches", "count", ColumnType::kCount, 9},
                           {"tensor_time_ns", "at full\npipe", ColumnType::kDuration, 8},
                           {"relative", "relative", ColumnType::kNumber, 10}};
  const std::size_t shown =
      page.top == 0 ? study.work_units.size() : std::min(page.top, study.work_units.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const analysis::WorkUnit& unit = study.work_units[i];
    section.table.rows.push_back(
        {{Text{std::string(name_in(study.identities[unit.identity], page.names))},
          Count{unit.launches}, time_cell(unit.per_launch / 100),
          Text{fmt::format("{:.2f}", unit.relative)}}});
  }
  section.table.rows_left_out = study.work_units.size() - shown;
  if (section.table.rows_left_out > 0) {
    section.table.left_out = fmt::format("{} more", count_text(section.table.rows_left_out));
  }
  return section;
}

}  // namespace strobe::report
