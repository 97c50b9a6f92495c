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
#include "strobe/report/compare/metric_text.h"
#include "strobe/report/compare/side_names.h"
#include "strobe/report/render/display_text.h"
#include "strobe/report/render/format.h"
#include "strobe/report/render/idle_label.h"

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

std::string metric_story(const std::vector<std::string>& names, const TripletRow& row) {
  const Change& change = change_of(row);
  const std::string amount = metric_change_text(change.shift.shift, row.info);
  return fmt::format("{}: {} -> {} ({}q {}, n = {}{})", fmt::join(names, " = "),
                     metric_text(change.normal_median, row.info),
                     metric_text(change.abnormal_median, row.info),
                     amount == "-" ? ""
                                   : fmt::format("{}, 95 % interval {}; ", amount,
                                                 metric_interval_text(change.shift, row.info)),
                     p_text(change.q), sizes_text(change), row.mu_by_sample ? " samples" : "");
}

// Metrics that changed while the function ran: first those behind a cause, then by suspicion.
std::vector<Group<TripletRow>> metrics_of(const Comparison& comparison, std::size_t function) {
  std::vector<const TripletRow*> rows;
  for (const TripletRow& row : comparison.triplets) {
    if (row.function == function && is_changed(change_of(row))) rows.push_back(&row);
  }
  std::stable_partition(rows.begin(), rows.end(), [&](const TripletRow* row) {
    return fires_a_rule(comparison, row->metric);
  });
  auto groups = grouped(rows, [](const TripletRow&, const TripletRow&) { return true; });
  if (groups.size() > kMetricsOfAFinding) groups.resize(kMetricsOfAFinding);
  return groups;
}

std::string device_of(const FunctionRow& row, bool has_ranks) {
  return has_ranks ? fmt::format("{} of rank {}", row.key.device, row.rank) : row.key.device;
}

std::vector<Column> change_columns(const Comparison& comparison) {
  const SideNames names = side_names(comparison);
  return {{"normal", names.normal, ColumnType::kNumber, 8},
          {"abnormal", names.abnormal, ColumnType::kNumber, 8},
          {"change", "change", ColumnType::kNumber, 7},
          {"interval", "95 % interval", ColumnType::kNumber, 7},
          {"q", "q", ColumnType::kNumber, 6},
          {"n", "n", ColumnType::kNumber, 5}};
}

std::string samples_text(const Change& change) {
  return fmt::format("{},{}", change.normal.n, change.abnormal.n);
}

void append_texts(std::vector<Cell>& cells, std::initializer_list<std::string> texts) {
  for (const std::string& text : texts) cells.push_back(Text{text});
}

void append_change(std::vector<Cell>& cells, const Change& change, std::string_view unit) {
  append_texts(
      cells,
      {quantity_text(change.normal_median, unit), quantity_text(change.abnormal_median, unit),
       quantity_change_text(change.shift.shift, unit), quantity_interval_text(change.shift, unit),
       p_text(change.q), samples_text(change)});
}

// Of microseconds, each value in the unit that fits.
void append_delay(std::vector<Cell>& cells, const Change& delay_us) {
  constexpr double kMs = 1e-3;
  const auto& [shift, low, high] = delay_us.shift;
  append_texts(cells, {time_text(kMs * delay_us.normal_median),
                       time_text(kMs * delay_us.abnormal_median), time_change_text(kMs * shift),
                       time_interval_text({kMs * shift, kMs * low, kMs * high}), p_text(delay_us.q),
                       samples_text(delay_us)});
}

void append_metric(std::vector<Cell>& cells, const MetricRow& row) {
  const Change& change = change_of(row);
  append_texts(
      cells,
      {metric_text(change.normal_median, row.info), metric_text(change.abnormal_median, row.info),
       metric_change_text(change.shift.shift, row.info),
       metric_interval_text(change.shift, row.info), p_text(change.q), samples_text(change)});
}

// What a reader of these metrics must know, each once.
template <class RowType>
void note_metrics(const std::vector<Group<RowType>>& groups, std::vector<std::string>& notes) {
  const auto add = [&](std::string note) {
    if (!note.empty() && std::ranges::find(notes, note) == notes.end()) {
      notes.push_back(std::move(note));
    }
  };
  for (const auto& [row, names] : groups) add(metric_note(names.front(), row->info));
  if (std::ranges::any_of(groups,
                          [](const auto& group) { return is_in_points(group.row->info); })) {
    add(std::string(kPointsNote));
  }
}

Column rank_column(const Comparison& comparison) {
  return {.key = "rank",
          .header = "rank",
          .type = ColumnType::kCount,
          .importance = 6,
          .for_tools = !has_ranks(comparison)};
}

// Says how many of all rows the table does not show.
void leave_out(Table& table, std::size_t all) {
  table.rows_left_out = all - table.rows.size();
  if (table.rows_left_out > 0) {
    table.left_out = count_text(table.rows_left_out) + " more (--top all shows them)";
  }
}

// A finding must explain this much of a changed cycle time.
constexpr double kRealPart = 0.1;

bool cycle_changed(const Comparison& comparison) {
  return comparison.answer == compare::Answer::kSlower ||
         comparison.answer == compare::Answer::kFaster;
}

// The part of the change of its type of cycles that a function alone would explain; negative if it
// moved the other way.
double explained_part(const Comparison& comparison, const FunctionRow& row) {
  const auto cycle = std::ranges::find(comparison.cycles, row.type, &compare::CycleRow::type);
  const bool is_known = cycle != comparison.cycles.end() && cycle->ms.shift.shift != 0;
  return is_known ? row.own_ms().shift.shift / cycle->ms.shift.shift : 0;
}

// A time that changed beyond chance, even if the function's share of the cycle did not.
bool has_other_time(const FunctionRow& row) {
  return row.has_other_time() && (row.own_ms().shift.low > 0 || row.own_ms().shift.high < 0);
}

// Functions with a change of their own, in the comparison's order. If the cycle time changed, those
// whose time explains a real part of that; if there are none, the one that explains most.
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
  std::erase_if(changed, [&](std::size_t i) {
    return !(part_of(i) >= kRealPart) && !(i == largest && part_of(i) > 0);
  });
  return changed;
}

// What the findings leave open. Functions of the host contain each other, and their time passes
// while the device works, so parts are not added up.
std::string unexplained_note(const Comparison& comparison, const std::vector<std::size_t>& found) {
  if (!cycle_changed(comparison)) return {};
  const compare::CycleRow& cycle = comparison.cycles.front();
  double most = 0;
  for (const std::size_t i : found) {
    const FunctionRow& row = comparison.functions[i];
    if (row.type == cycle.type) most = std::max(most, explained_part(comparison, row));
  }
  if (most >= 0.5) return {};
  const double whole_ms = cycle.ms.shift.shift;
  return fmt::format(
      "No function alone explains more than {:.0f} % of the change of the cycle time, {}; the "
      "rest, {}, is spread over several functions or lies outside of them.",
      100 * most, time_change_text(whole_ms), time_change_text((1 - most) * whole_ms));
}

constexpr std::string_view kNestingNote =
    "Functions of the host contain each other: an operator contains the operators and calls that "
    "it makes. So their times do not add up.";

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
  std::size_t on_host = 0;
  const std::vector<std::size_t> found = key_functions(comparison);
  for (const std::size_t i : found) {
    const FunctionRow& row = comparison.functions[i];
    if (section.arguments.size() == kFindings) break;
    const std::vector<Group<TripletRow>> groups = metrics_of(comparison, i);
    std::vector<std::string> metrics;
    for (const auto& [metric, names] : groups) metrics.push_back(metric_story(names, *metric));
    if (!metrics.empty() && metrics == previous) {
      metrics = {"the same metrics changed, by the same amounts"};
    } else {
      previous = metrics;
    }
    on_host += compare::is_on_device(row.key.kind) ? 0 : 1;
    note_metrics(groups, section.notes);
    section.arguments.push_back({key_finding_text(comparison, row), std::move(metrics), {}, {}});
  }
  if (on_host > 1) section.notes.emplace_back(kNestingNote);
  if (const std::string note = unexplained_note(comparison, found); !note.empty()) {
    section.notes.push_back(note);
  }
  if (section.arguments.empty()) return section;
  section.lead =
      cycle_changed(comparison)
          ? "Functions that changed and explain at least 10 % of the change of the cycle time (if "
            "there are none, the one that explains most), and what was different while they ran."
          : "The most suspicious functions that changed, and what was different while they ran.";
  return section;
}

Section device_section(const Comparison& comparison) {
  Section section;
  section.key = "devices";
  section.title = "Devices";
  section.table.columns = {{"device", "busy", ColumnType::kName, 9}, rank_column(comparison)};
  std::ranges::move(change_columns(comparison), std::back_inserter(section.table.columns));
  for (const compare::DeviceRow& row : comparison.devices) {
    if (row.device == compare::kHostDevice) continue;
    std::vector<Cell> cells = {Text{row.device}, Count{static_cast<std::uint64_t>(row.rank)}};
    append_change(cells, row.busy_share, "%");
    section.table.rows.push_back({std::move(cells), RowStyle::kPlain});
  }
  if (section.table.rows.empty()) return section;
  section.lead =
      "Share of the cycle time in which a device was busy; medians over cycles. Changes are in "
      "percentage points (ppt).";
  return section;
}

namespace {

// "CALL in OPERATOR"
std::string idle_name(const compare::IdleCause& cause) {
  const std::string label = idle_label(cause.kind, cause.name);
  return cause.inside.empty() ? label : fmt::format("{} in {}", label, cause.inside);
}

std::string_view idle_kind_text(analysis::IdleKind kind) {
  using enum analysis::IdleKind;
  switch (kind) {
    case kOverhead:
      return "profiler";
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
  if (!is_changed(change)) return kNoEvidenceWords;
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
      "change comes first; what takes less than 0.2 % of the cycle in both runs is left out.";
  section.table.columns = {{"cause", "the host was in", ColumnType::kName, 9},
                           {.key = "kind",
                            .header = "kind",
                            .type = ColumnType::kText,
                            .importance = 4,
                            .least_width = 12},
                           rank_column(comparison),
                           {"ms", both_sides(side_names(comparison)), ColumnType::kNumber, 8},
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
  leave_out(section.table, comparison.idle.size());
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
  std::ranges::move(change_columns(comparison), std::back_inserter(section.table.columns));
  for (const compare::LaunchRow& row : comparison.launches) {
    const auto cells_of = [&](const char* quantity) -> std::vector<Cell> {
      return {Text{quantity}, Text{row.device}, Count{static_cast<std::uint64_t>(row.rank)}};
    };
    std::vector<Cell> delay = cells_of("launch delay");
    append_delay(delay, row.delay_us);
    section.table.rows.push_back({std::move(delay), RowStyle::kPlain});
    std::vector<Cell> queue = cells_of("launched and waiting");
    append_change(queue, row.queue, "");
    section.table.rows.push_back({std::move(queue), RowStyle::kPlain});
  }
  if (section.table.rows.empty()) return section;
  section.lead =
      "The delay is the time from the end of a launching call to the start of its work, the median "
      "of each cycle; waiting is how many kernels, copies and memsets were launched and had not "
      "started, averaged over the cycle. Near 0, the device waits for the host.";
  return section;
}

namespace {

std::vector<const MetricRow*> metrics_where(const Comparison& comparison,
                                            bool (*is_wanted)(const Change&)) {
  std::vector<const MetricRow*> rows;
  for (const MetricRow& row : comparison.metrics) {
    if (is_wanted(change_of(row))) rows.push_back(&row);
  }
  return rows;
}

// The metrics whose change no table shows, and why.
std::vector<std::string> hidden_metrics(const Comparison& comparison, std::size_t untested) {
  const auto count = [&](bool (*is_counted)(const Change&)) {
    return metrics_where(comparison, is_counted).size();
  };
  const std::size_t lacking =
      count([](const Change& change) { return change.normal.n == 0 || change.abnormal.n == 0; });
  const std::size_t same =
      comparison.metrics.size() - count(is_changed) - count(is_untested) - lacking;
  const std::size_t untold = count(is_untested) - untested;
  std::vector<std::string> notes;
  const auto note = [&](std::size_t rows, std::string_view why) {
    if (rows == 0) return;
    notes.push_back(fmt::format("{} of {} series: {}.", count_text(rows),
                                count_text(comparison.metrics.size()), why));
  };
  note(same, "no evidence of a change");
  note(untold, "too few values for a test, and no large difference");
  note(lacking, "no values in one of the runs");
  return notes;
}

// As large as a change must be, without its test.
bool differs_untested(const Change& change) {
  constexpr double kLeastShare = 0.02;  // of the normal value
  return is_untested(change) && std::abs(change.cliffs_delta) >= compare::kLargeDelta &&
         std::abs(change.shift.shift) > kLeastShare * std::abs(change.normal_median);
}

// One row per metric; twins are told in a note.
void add_metric_rows(const std::vector<const MetricRow*>& rows, std::size_t top, Section& section) {
  auto groups = grouped(rows, [](const MetricRow& a, const MetricRow& b) {
    return a.device == b.device && a.rank == b.rank;
  });
  const std::size_t all = groups.size();
  if (top != 0 && all > top) groups.resize(top);
  for (const auto& [row, names] : groups) {
    std::vector<Cell> cells = {Text{row->metric}, Text{row->device},
                               Count{static_cast<std::uint64_t>(row->rank)}};
    append_metric(cells, *row);
    section.table.rows.push_back({std::move(cells), RowStyle::kPlain});
    if (names.size() > 1) {
      section.notes.push_back(fmt::format("{} on {}: one series under {} names.",
                                          fmt::join(names, " = "), row->device, names.size()));
    }
  }
  leave_out(section.table, all);
  note_metrics(groups, section.notes);
}

std::vector<Column> metric_columns(const Comparison& comparison) {
  std::vector<Column> columns = {{"metric", "metric", ColumnType::kName, 9},
                                 {.key = "device",
                                  .header = "device",
                                  .type = ColumnType::kText,
                                  .importance = 5,
                                  .least_width = 6},
                                 rank_column(comparison)};
  std::ranges::move(change_columns(comparison), std::back_inserter(columns));
  return columns;
}

}  // namespace

Section metric_section(const Comparison& comparison, std::size_t top) {
  Section section;
  section.key = "metrics";
  section.title = "Metrics that changed";
  section.table.columns = metric_columns(comparison);
  if (comparison.metrics.empty()) return section;
  const bool share_samples = std::ranges::any_of(
      comparison.metrics, [](const MetricRow& row) { return row.shares_samples(time_of(row)); });
  section.lead = fmt::format(
      "Medians over cycles of the mean in each cycle{}; metrics of a device count only while it is "
      "busy.",
      share_samples ? ", or over samples where neighbouring cycles share one (n counts them)" : "");
  add_metric_rows(metrics_where(comparison, is_changed), top, section);
  std::ranges::move(hidden_metrics(comparison, metrics_where(comparison, differs_untested).size()),
                    std::back_inserter(section.notes));
  return section;
}

Section untested_metric_section(const Comparison& comparison, std::size_t top) {
  Section section;
  section.key = "untested_metrics";
  section.title = "Metrics that differ, untested";
  section.table.columns = metric_columns(comparison);
  for (const std::size_t tested : {6u, 7u}) section.table.columns[tested].for_tools = true;
  const std::vector<const MetricRow*> rows = metrics_where(comparison, differs_untested);
  if (rows.empty()) return section;
  section.lead =
      "Too few values for a test, so chance cannot be excluded. Where a sampler is slower than the "
      "cycle, neighbouring cycles share a sample, and n is the number of samples. Medians; metrics "
      "of a device count only while it is busy.";
  add_metric_rows(rows, top, section);
  return section;
}

}  // namespace strobe::report
