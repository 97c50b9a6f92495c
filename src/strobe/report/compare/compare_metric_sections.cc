#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/compare/measure/function_index.h"
#include "strobe/report/compare/compare_numbers.h"
#include "strobe/report/compare/compare_report.h"
#include "strobe/report/compare/compare_verdict.h"
#include "strobe/report/render/display_text.h"
#include "strobe/report/render/format.h"

namespace strobe::report {
namespace {

using compare::Change;
using compare::Comparison;
using compare::FunctionRow;
using compare::MetricRow;
using compare::TripletRow;

constexpr std::size_t kFindings = 3;
constexpr std::size_t kMetricsOfAFinding = 3;
constexpr std::size_t kFindingNameColumns = 64;

bool is_same(const stats::Moments& a, const stats::Moments& b) {
  return a.n == b.n && a.mean == b.mean && a.deviation == b.deviation;
}

// Two names of one metric: equal to the last bit, in both runs.
bool is_same(const Change& a, const Change& b) {
  return is_same(a.normal, b.normal) && is_same(a.abnormal, b.abnormal) &&
         a.normal_median == b.normal_median && a.abnormal_median == b.abnormal_median;
}

// A metric and the others that equal it.
template <class RowType>
struct Group {
  const RowType* row = nullptr;
  std::vector<std::string> names;
};

template <class RowType, class SamePlace>
std::vector<Group<RowType>> grouped(const std::vector<const RowType*>& rows, SamePlace same_place) {
  std::vector<Group<RowType>> groups;
  for (const RowType* row : rows) {
    const auto twin = std::ranges::find_if(groups, [&](const Group<RowType>& group) {
      return same_place(*group.row, *row) && group.row->info.unit == row->info.unit &&
             is_same(change_of(*group.row), change_of(*row));
    });
    if (twin == groups.end()) {
      groups.push_back({row, {row->metric}});
    } else {
      twin->names.push_back(row->metric);
    }
  }
  return groups;
}

bool fires_a_rule(const Comparison& comparison, const std::string& metric) {
  return std::ranges::any_of(comparison.causes, [&](const compare::Cause& cause) {
    return std::ranges::any_of(cause.evidence, [&](const compare::Evidence& evidence) {
      return evidence.metric == metric;
    });
  });
}

std::string metric_story(const std::vector<std::string>& names, const Change& change,
                         std::string_view unit) {
  return fmt::format(
      "{}: {} -> {} ({}, 95 % interval {}; q {}, n = {})", fmt::join(names, " = "),
      quantity_text(change.normal_median, unit), quantity_text(change.abnormal_median, unit),
      quantity_change_text(change.shift.shift, unit), quantity_interval_text(change.shift, unit),
      p_text(change.q), sizes_text(change));
}

// Metrics that changed while the function ran: first those behind a cause, then by suspicion.
std::vector<std::string> metrics_of(const Comparison& comparison, std::size_t function) {
  std::vector<const TripletRow*> rows;
  for (const TripletRow& row : comparison.triplets) {
    if (row.function == function && is_changed(row.mu)) rows.push_back(&row);
  }
  std::stable_partition(rows.begin(), rows.end(), [&](const TripletRow* row) {
    return fires_a_rule(comparison, row->metric);
  });
  std::vector<std::string> stories;
  for (const auto& [row, names] :
       grouped(rows, [](const TripletRow&, const TripletRow&) { return true; })) {
    if (stories.size() == kMetricsOfAFinding) break;
    stories.push_back(metric_story(names, row->mu, row->info.unit));
  }
  return stories;
}

std::string device_of(const FunctionRow& row, bool has_ranks) {
  return has_ranks ? fmt::format("{} of rank {}", row.key.device, row.rank) : row.key.device;
}

std::vector<Column> change_columns() {
  return {{"normal", "normal", ColumnType::kNumber, 8},
          {"abnormal", "abnormal", ColumnType::kNumber, 8},
          {"change", "change", ColumnType::kNumber, 7},
          {"interval", "95 % interval", ColumnType::kNumber, 7},
          {"q", "q", ColumnType::kNumber, 6},
          {"n", "n", ColumnType::kNumber, 5}};
}

void append_change(std::vector<Cell>& cells, const Change& change, std::string_view unit) {
  for (std::string text :
       {quantity_text(change.normal_median, unit), quantity_text(change.abnormal_median, unit),
        quantity_change_text(change.shift.shift, unit), quantity_interval_text(change.shift, unit),
        p_text(change.q), fmt::format("{},{}", change.normal.n, change.abnormal.n)}) {
    cells.push_back(Text{std::move(text)});
  }
}

Column rank_column(const Comparison& comparison) {
  return {.key = "rank",
          .header = "rank",
          .type = ColumnType::kCount,
          .importance = 6,
          .for_tools = !has_ranks(comparison)};
}

}  // namespace

Section finding_section(const Comparison& comparison) {
  Section section;
  section.key = "findings";
  section.title = "Key findings";
  std::vector<std::string> previous;
  for (std::size_t i = 0; i < comparison.functions.size(); ++i) {
    const FunctionRow& row = comparison.functions[i];
    if (!has_own_change(row)) continue;
    if (section.arguments.size() == kFindings) break;
    std::vector<std::string> metrics = metrics_of(comparison, i);
    if (!metrics.empty() && metrics == previous) {
      metrics = {"the same metrics changed, by the same amounts"};
    } else {
      previous = metrics;
    }
    section.arguments.push_back(
        {fmt::format("{} on {}: {} per cycle; {} -> {} of the cycle's time (q {}, n = {})",
                     fit_name(printable(row.key.name), kFindingNameColumns),
                     device_of(row, has_ranks(comparison)), time_story(row.ms),
                     quantity_text(row.beta.normal_median, "%"),
                     quantity_text(row.beta.abnormal_median, "%"), p_text(row.beta.q),
                     sizes_text(row.beta)),
         std::move(metrics),
         {},
         {}});
  }
  if (section.arguments.empty()) return section;
  section.lead =
      "The most suspicious functions that changed, and what was different while they ran.";
  return section;
}

Section device_section(const Comparison& comparison) {
  Section section;
  section.key = "devices";
  section.title = "Devices";
  section.table.columns = {{"device", "busy", ColumnType::kName, 9}, rank_column(comparison)};
  std::ranges::move(change_columns(), std::back_inserter(section.table.columns));
  for (const compare::DeviceRow& row : comparison.devices) {
    if (row.device == compare::kHostDevice) continue;
    std::vector<Cell> cells = {Text{row.device}, Count{static_cast<std::uint64_t>(row.rank)}};
    append_change(cells, row.busy_share, "%");
    section.table.rows.push_back({std::move(cells), RowStyle::kPlain});
  }
  if (section.table.rows.empty()) return section;
  section.lead = "Share of the cycle time in which a device was busy; medians over cycles.";
  return section;
}

Section metric_section(const Comparison& comparison, std::size_t top) {
  Section section;
  section.key = "metrics";
  section.title = "Metrics that changed";
  section.table.columns = {{"metric", "metric", ColumnType::kName, 9},
                           {.key = "device",
                            .header = "device",
                            .type = ColumnType::kText,
                            .importance = 5,
                            .least_width = 6},
                           rank_column(comparison)};
  std::ranges::move(change_columns(), std::back_inserter(section.table.columns));
  if (comparison.metrics.empty()) return section;
  std::vector<const MetricRow*> rows;
  for (const MetricRow& row : comparison.metrics) {
    if (is_changed(change_of(row))) rows.push_back(&row);
  }
  const auto groups = grouped(rows, [](const MetricRow& a, const MetricRow& b) {
    return a.device == b.device && a.rank == b.rank;
  });
  for (const auto& [row, names] : groups) {
    if (top != 0 && section.table.rows.size() == top) break;
    std::vector<Cell> cells = {Text{row->metric}, Text{row->device},
                               Count{static_cast<std::uint64_t>(row->rank)}};
    append_change(cells, change_of(*row), row->info.unit);
    section.table.rows.push_back({std::move(cells), RowStyle::kPlain});
    if (names.size() > 1) {
      section.notes.push_back(fmt::format("{} on {}: one series under {} names.",
                                          fmt::join(names, " = "), row->device, names.size()));
    }
  }
  section.lead =
      "Medians over cycles of the mean in each cycle; metrics of a device count only while it is "
      "busy.";
  section.table.rows_left_out = groups.size() - section.table.rows.size();
  if (section.table.rows_left_out > 0) {
    section.table.left_out =
        count_text(section.table.rows_left_out) + " more (--top all shows them)";
  }
  const auto lacks_a_side = [](const MetricRow& row) {
    return change_of(row).normal.n == 0 || change_of(row).abnormal.n == 0;
  };
  const auto lacking =
      static_cast<std::size_t>(std::ranges::count_if(comparison.metrics, lacks_a_side));
  const std::size_t same = comparison.metrics.size() - rows.size() - lacking;
  const std::string all = count_text(comparison.metrics.size());
  if (same > 0) {
    section.notes.push_back(
        fmt::format("{} of {} series: no evidence of a change.", count_text(same), all));
  }
  if (lacking > 0) {
    section.notes.push_back(
        fmt::format("{} of {} series: no values in one of the runs.", count_text(lacking), all));
  }
  return section;
}

}  // namespace strobe::report
