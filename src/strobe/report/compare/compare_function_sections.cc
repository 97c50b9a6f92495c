#include <algorithm>
#include <cstdint>
#include <span>

#include <fmt/format.h>

#include "strobe/report/compare/compare_numbers.h"
#include "strobe/report/compare/compare_report.h"
#include "strobe/report/compare/compare_verdict.h"
#include "strobe/report/compare/side_names.h"
#include "strobe/report/render/format.h"

namespace strobe::report {
namespace {

using compare::Comparison;
using compare::FunctionRow;
using compare::Verdict;

bool appears_or_vanishes(const FunctionRow& row) {
  return row.verdict == Verdict::kNew || row.verdict == Verdict::kVanished;
}

bool has_types(const Comparison& comparison) { return comparison.cycles.size() > 1; }

// Those with a verdict first, each group in the order of the comparison. Sorted by impact, the
// changes beyond chance are first already, and no verdict may push a large one down.
std::vector<const FunctionRow*> changed_first(const Comparison& comparison) {
  std::vector<const FunctionRow*> rows;
  for (const FunctionRow& row : comparison.functions) {
    if (!appears_or_vanishes(row)) rows.push_back(&row);
  }
  if (comparison.order != compare::RankKey::kImpact) {
    std::stable_partition(rows.begin(), rows.end(),
                          [](const FunctionRow* row) { return is_changed(*row); });
  }
  return rows;
}

std::string_view sorting_sentence(compare::RankKey order) {
  switch (order) {
    case compare::RankKey::kSuspicion:
      return "Changed ones first, then by suspicion: how far and how unusually the share of the "
             "cycle moved (--sort impact sorts by the change).";
    case compare::RankKey::kRobust:
      return "Changed ones first, then by suspicion, less sensitive to steady functions.";
    case compare::RankKey::kImpact:
      return "The largest change beyond chance first.";
    case compare::RankKey::kQ:
      return "Changed ones first, then by q.";
  }
  return "";
}

std::vector<Column> key_columns(const Comparison& comparison) {
  return {{"function", "function", ColumnType::kName, 9},
          {.key = "device",
           .header = "device",
           .type = ColumnType::kText,
           .importance = 5,
           .least_width = 6},
          {.key = "rank",
           .header = "rank",
           .type = ColumnType::kCount,
           .importance = 6,
           .for_tools = !has_ranks(comparison)},
          {.key = "cycles",
           .header = "cycles",
           .type = ColumnType::kText,
           .importance = 6,
           .for_tools = !has_types(comparison),
           .least_width = 6}};
}

std::vector<Cell> key_cells(const FunctionRow& row) {
  return {Text{row.key.name}, Text{row.key.device}, Count{static_cast<std::uint64_t>(row.rank)},
          Text{std::string(word_of(row.type))}};
}

void append(std::vector<Cell>& cells, std::vector<Cell> more) {
  std::ranges::move(more, std::back_inserter(cells));
}

void append(std::vector<Column>& columns, std::vector<Column> more) {
  std::ranges::move(more, std::back_inserter(columns));
}

using FunctionList = std::span<const FunctionRow* const>;

std::uint64_t count_changed(FunctionList rows) {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(rows, [](const FunctionRow* row) { return is_changed(*row); }));
}

Row function_row(const FunctionRow& row) {
  const compare::Change& ms = row.own_ms();
  std::vector<Cell> cells = key_cells(row);
  append(cells,
         {Text{fmt::format("{} -> {}", ms_text(ms.normal_median), ms_text(ms.abnormal_median))},
          Text{ms_change_text(ms.shift.shift)}, Text{ms_interval_text(ms.shift)},
          Text{p_text(shown_q(row))}, Text{fmt::format("{},{}", ms.normal.n, ms.abnormal.n)},
          Text{verdict_text(row)}});
  return {std::move(cells), RowStyle::kPlain};
}

// What the verdicts of these rows mean, as far as they need a word.
std::vector<std::string> verdict_notes(FunctionList rows) {
  std::vector<std::string> notes;
  const auto has = [&](const auto& claim) {
    return std::ranges::any_of(rows, [&](const FunctionRow* row) { return claim(*row); });
  };
  if (has([](const FunctionRow& row) { return is_changed(row) && !has_own_change(row); })) {
    notes.emplace_back(
        "share: its own time did not change, but the cycle time did, so its share changed.");
  }
  if (has([](const FunctionRow& row) { return row.launched.decides; })) {
    notes.emplace_back(
        "The device goes on long after the cycles, so its functions are counted in the cycle that "
        "launched them.");
  }
  if (has(is_scaled)) {
    notes.emplace_back(
        "scaled: its time changed in proportion to the cycle time; its share is the same.");
  }
  return notes;
}

}  // namespace

Section function_section(const Comparison& comparison, std::size_t top) {
  Section section;
  section.key = "functions";
  section.title = "Functions";
  const std::vector<const FunctionRow*> rows = changed_first(comparison);
  if (rows.empty()) return section;
  section.lead = fmt::format(
      "{} of {} changed. {} Milliseconds per cycle, medians; q, of these times, is the expected "
      "share of false alarms among all rows with this q or a smaller one. {} marks rows without "
      "evidence of a relevant change, with the size of the effect (Cliff's delta; large in every "
      "row that changed).",
      count_text(count_changed(rows)), counted(rows.size(), "function"),
      sorting_sentence(comparison.order), kNoEvidence);
  section.table.columns = key_columns(comparison);
  append(section.table.columns, {{"ms", both_sides(side_names(comparison)), ColumnType::kNumber, 8},
                                 {"change", "change", ColumnType::kNumber, 8},
                                 {"interval", "95 % interval", ColumnType::kNumber, 7},
                                 {"q", "q", ColumnType::kNumber, 7},
                                 {"n", "n", ColumnType::kNumber, 5},
                                 {.key = "verdict",
                                  .header = "verdict",
                                  .type = ColumnType::kText,
                                  .importance = 8,
                                  .least_width = 7}});
  const FunctionList shown =
      FunctionList(rows).first(top == 0 ? rows.size() : std::min(top, rows.size()));
  const FunctionList hidden = FunctionList(rows).subspan(shown.size());
  for (const FunctionRow* row : shown) section.table.rows.push_back(function_row(*row));
  section.notes = verdict_notes(shown);
  section.table.rows_left_out = hidden.size();
  if (!hidden.empty()) {
    section.table.left_out =
        fmt::format("{} more, {} of them changed (--top all shows them)", count_text(hidden.size()),
                    count_text(count_changed(hidden)));
  }
  return section;
}

Section appearance_section(const Comparison& comparison, std::size_t top) {
  Section section;
  section.key = "new_and_vanished";
  section.title = "New and vanished functions";
  section.table.columns = key_columns(comparison);
  append(section.table.columns, {{"verdict", "verdict", ColumnType::kText, 8},
                                 {"ms", "ms per cycle", ColumnType::kNumber, 8},
                                 {"beta", "of the cycle", ColumnType::kNumber, 7},
                                 {"calls", "calls/cycle", ColumnType::kNumber, 6},
                                 {"n", "n", ColumnType::kNumber, 5}});
  for (const FunctionRow& row : comparison.functions) {
    if (!appears_or_vanishes(row)) continue;
    if (top != 0 && section.table.rows.size() == top) {
      ++section.table.rows_left_out;
      continue;
    }
    const bool is_new = row.verdict == Verdict::kNew;
    const stats::Moments& ms = is_new ? row.ms.abnormal : row.ms.normal;
    const stats::Moments& beta = is_new ? row.beta.abnormal : row.beta.normal;
    std::vector<Cell> cells = key_cells(row);
    append(cells, {Text{std::string(word_of(row.verdict))}, Text{ms_text(ms.mean)},
                   Text{quantity_text(beta.mean, "%")},
                   Text{score_text(is_new ? row.mean_calls_abnormal : row.mean_calls_normal)},
                   Text{fmt::format("{},{}", row.ms.normal.n, row.ms.abnormal.n)}});
    section.table.rows.push_back({std::move(cells), RowStyle::kPlain});
  }
  if (section.table.rows.empty()) return section;
  section.lead =
      "Ran in at least 80 % of one run's cycles and in none of the other's. Means of that run; "
      "shares are of its cycle time.";
  if (section.table.rows_left_out > 0) {
    section.table.left_out =
        count_text(section.table.rows_left_out) + " more (--top all shows them)";
  }
  return section;
}

}  // namespace strobe::report
