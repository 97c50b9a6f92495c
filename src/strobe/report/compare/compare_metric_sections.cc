#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

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

namespace {

// A finding must explain this much of a changed cycle time.
constexpr double kRealPart = 0.1;

bool cycle_changed(const Comparison& comparison) {
  return comparison.answer == compare::Answer::kSlower ||
         comparison.answer == compare::Answer::kFaster;
}

// The part of the cycle's change that a function alone would explain; negative if it moved the
// other way.
double explained_part(const Comparison& comparison, const FunctionRow& row) {
  const double whole_ms = comparison.cycles.front().ms.shift.shift;
  return whole_ms == 0 ? 0 : row.own_ms().shift.shift / whole_ms;
}

// A time that changed beyond chance, even if the function's share of the cycle did not.
bool has_other_time(const FunctionRow& row) {
  return row.has_other_time() && (row.own_ms().shift.low > 0 || row.own_ms().shift.high < 0);
}

// Functions with a change of their own, in the comparison's order. If the cycle time changed, those
// whose time explains a real part of that, or else the one that explains most.
std::vector<std::size_t> key_functions(const Comparison& comparison) {
  std::vector<std::size_t> changed;
  for (std::size_t i = 0; i < comparison.functions.size(); ++i) {
    const FunctionRow& row = comparison.functions[i];
    const bool is_candidate = cycle_changed(comparison) ? has_own_change(row) || has_other_time(row)
                                                        : has_own_change(row);
    if (is_candidate) changed.push_back(i);
  }
  if (!cycle_changed(comparison) || changed.empty()) return changed;
  const auto part_of = [&](std::size_t i) {
    return explained_part(comparison, comparison.functions[i]);
  };
  const std::size_t largest = *std::ranges::max_element(changed, {}, part_of);
  std::erase_if(changed, [&](std::size_t i) { return i != largest && !(part_of(i) >= kRealPart); });
  return changed;
}

// What the findings leave open. Functions of the host contain each other, and their time passes
// while the device works, so parts are not added up.
std::string unexplained_note(const Comparison& comparison, const std::vector<std::size_t>& found) {
  if (!cycle_changed(comparison)) return {};
  double most = 0;
  for (const std::size_t i : found) {
    most = std::max(most, explained_part(comparison, comparison.functions[i]));
  }
  if (most >= 0.5) return {};
  const double whole_ms = comparison.cycles.front().ms.shift.shift;
  return fmt::format(
      "No function alone explains more than {:.0f} % of the change of the cycle time, {}; the "
      "rest, "
      "{}, is spread over several functions or lies outside of them.",
      100 * most, time_change_text(whole_ms), time_change_text((1 - most) * whole_ms));
}

std::string key_finding_text(const Comparison& comparison, const FunctionRow& row) {
  const std::string share = row.launched.decides
                                ? ""
                                : fmt::format("; {} -> {} of the cycle's time",
                                              quantity_text(row.beta.normal_median, "%"),
                                              quantity_text(row.beta.abnormal_median, "%"));
  return fmt::format("{} on {}: {} per cycle{} (q {}, n = {})",
                     fit_name(printable(row.key.name), kFindingNameColumns),
                     device_of(row, has_ranks(comparison)), time_story(row.own_ms()), share,
                     p_text(shown_q(row)), sizes_text(row.beta));
}

}  // namespace

Section finding_section(const Comparison& comparison) {
  Section section;
  section.key = "findings";
  section.title = "Key findings";
  std::vector<std::string> previous;
  const std::vector<std::size_t> found = key_functions(comparison);
  for (const std::size_t i : found) {
    const FunctionRow& row = comparison.functions[i];
    if (section.arguments.size() == kFindings) break;
    std::vector<std::string> metrics = metrics_of(comparison, i);
    if (!metrics.empty() && metrics == previous) {
      metrics = {"the same metrics changed, by the same amounts"};
    } else {
      previous = metrics;
    }
    section.arguments.push_back({key_finding_text(comparison, row), std::move(metrics), {}, {}});
  }
  if (const std::string note = unexplained_note(comparison, found); !note.empty()) {
    section.notes.push_back(note);
  }
  if (section.arguments.empty()) return section;
  section.lead =
      cycle_changed(comparison)
          ? "Functions that changed and explain at least 10 % of the change of the cycle time, or "
            "most of all, and what was different while they ran."
          : "The most suspicious functions that changed, and what was different while they ran.";
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

namespace {

// "CALL in OPERATOR"; what has no name of its own is in brackets.
std::string idle_name(const compare::IdleCause& cause) {
  using enum analysis::IdleKind;
  if (cause.kind == kNothing) return "[nothing recorded]";
  if (cause.kind == kLaunched) return "[launched, not started]";
  return cause.inside.empty() ? cause.name : fmt::format("{} in {}", cause.name, cause.inside);
}

std::string_view idle_kind_text(analysis::IdleKind kind) {
  using enum analysis::IdleKind;
  switch (kind) {
    case kRuntimeCall:
      return "call";
    case kDataLoading:
      return "data loading";
    case kOperator:
      return "operator";
    case kRange:
      return "range";
    case kScript:
      return "script";
    case kNothing:
    case kLaunched:
      return "-";
  }
  return "-";
}

std::string_view direction_text(const Change& change) {
  if (change.too_few) return "too few";
  if (!is_changed(change)) return kNoEvidence;
  return change.shift.shift > 0 ? "longer" : "shorter";
}

Row idle_row(const compare::IdleCauseRow& row) {
  const Change& ms = row.ms;
  return {{Text{idle_name(row.cause)}, Text{std::string(idle_kind_text(row.cause.kind))},
           Count{static_cast<std::uint64_t>(row.rank)},
           Text{fmt::format("{} -> {}", ms_text(ms.normal_median), ms_text(ms.abnormal_median))},
           Text{ms_change_text(ms.shift.shift)}, Text{ms_interval_text(ms.shift)},
           Text{p_text(ms.q)}, Text{fmt::format("{},{}", ms.normal.n, ms.abnormal.n)},
           Text{std::string(direction_text(ms))}},
          RowStyle::kPlain};
}

}  // namespace

Section idle_section(const Comparison& comparison, std::size_t top) {
  Section section;
  section.key = "idle";
  section.title = "Idle time of the devices";
  if (comparison.idle.empty()) return section;
  section.lead =
      "What the host did while no device worked; milliseconds per cycle, medians. The largest "
      "change comes first; causes below 0.2 % of the cycle are left out.";
  section.table.columns = {{"cause", "the host was in", ColumnType::kName, 9},
                           {.key = "kind",
                            .header = "kind",
                            .type = ColumnType::kText,
                            .importance = 4,
                            .least_width = 12},
                           rank_column(comparison),
                           {"ms", "normal ->\nabnormal", ColumnType::kNumber, 8},
                           {"change", "change", ColumnType::kNumber, 8},
                           {"interval", "95 % interval", ColumnType::kNumber, 6},
                           {"q", "q", ColumnType::kNumber, 6},
                           {"n", "n", ColumnType::kNumber, 5},
                           {.key = "verdict",
                            .header = "verdict",
                            .type = ColumnType::kText,
                            .importance = 8,
                            .least_width = 7}};
  for (const compare::IdleCauseRow& row : comparison.idle) {
    if (top != 0 && section.table.rows.size() == top) break;
    section.table.rows.push_back(idle_row(row));
  }
  section.table.rows_left_out = comparison.idle.size() - section.table.rows.size();
  if (section.table.rows_left_out > 0) {
    section.table.left_out =
        count_text(section.table.rows_left_out) + " more (--top all shows them)";
  }
  return section;
}

Section launch_section(const Comparison& comparison) {
  Section section;
  section.key = "launches";
  section.title = "Launches";
  section.table.columns = {{"quantity", "quantity", ColumnType::kText, 9},
                           {"device", "device", ColumnType::kText, 7},
                           rank_column(comparison)};
  section.table.columns[1].least_width = 6;
  std::ranges::move(change_columns(), std::back_inserter(section.table.columns));
  for (const compare::LaunchRow& row : comparison.launches) {
    for (const auto& [quantity, change, unit] :
         {std::tuple("launch delay", &row.delay_us, "us"),
          std::tuple("launched and waiting", &row.queue, "")}) {
      std::vector<Cell> cells = {Text{quantity}, Text{row.device},
                                 Count{static_cast<std::uint64_t>(row.rank)}};
      append_change(cells, *change, unit);
      section.table.rows.push_back({std::move(cells), RowStyle::kPlain});
    }
  }
  if (section.table.rows.empty()) return section;
  section.lead =
      "The delay is the time from the end of a launching call to the start of its work, the median "
      "of each cycle; waiting is the number of works that were launched and had not started, "
      "averaged over the cycle. Near 0, the device waits for the host.";
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
