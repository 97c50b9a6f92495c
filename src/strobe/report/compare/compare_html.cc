#include "strobe/report/compare/compare_formats.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>

#include <fmt/format.h>

#include "strobe/base/text.h"
#include "strobe/report/compare/compare_numbers.h"
#include "strobe/report/compare/compare_plots.h"
#include "strobe/report/compare/compare_report.h"
#include "strobe/report/compare/compare_verdict.h"
#include "strobe/report/compare/side_names.h"
#include "strobe/report/render/display_text.h"
#include "strobe/report/render/document_html.h"
#include "strobe/report/render/format.h"

namespace strobe::report {
namespace {

using compare::Answer;
using compare::Comparison;
using compare::CycleRow;
using compare::FunctionRow;

std::string_view headline_of(Answer answer) {
  switch (answer) {
    case Answer::kNoChange:
      return "No change";
    case Answer::kSlower:
      return "Slower";
    case Answer::kFaster:
      return "Faster";
    case Answer::kShifted:
      return "Functions changed, cycle time did not";
    case Answer::kUnclear:
      return "Unclear";
    case Answer::kCannotTell:
      return "Cannot tell";
  }
  return "";
}

// A number and its sort key, with six digits.
Measure sorted_by(double value, std::string text) {
  Measure measure = {.text = std::move(text)};
  if (std::isfinite(value)) measure.value = rounded_to_digits(value, 6);
  return measure;
}

Row page_row(std::size_t number, const FunctionRow& row) {
  const compare::Change& ms = row.own_ms();
  const double median = ms.normal_median;
  const double shift = ms.shift.shift;
  return {
      {sorted_by(static_cast<double>(number), std::to_string(number)), Text{row.key.name},
       Text{row.key.device}, sorted_by(row.rank, std::to_string(row.rank)),
       sorted_by(median, ms_text(median)),
       sorted_by(ms.abnormal_median, ms_text(ms.abnormal_median)),
       sorted_by(shift, ms_change_text(shift)), sorted_by(ms.shift.low, ms_interval_text(ms.shift)),
       sorted_by(100 * shift / median, percent_change_text(shift, median)),
       sorted_by(row.beta.shift.shift, fmt::format("{:+.2f}", row.beta.shift.shift)),
       sorted_by(shown_q(row), p_text(shown_q(row))),
       sorted_by(ms.cliffs_delta, fmt::format("{:+.2f}", ms.cliffs_delta)),
       sorted_by(row.suspicion, score_text(row.suspicion)),
       Text{fmt::format("{},{}", ms.normal.n, ms.abnormal.n)}, Text{verdict_text(row)}},
      is_changed(row) ? RowStyle::kChanged : RowStyle::kPlain};
}

std::vector<Column> page_columns(const Comparison& comparison) {
  const SideNames names = side_names(comparison);
  const std::vector<std::string> headers = {"#",
                                            "function",
                                            "device",
                                            "rank",
                                            names.normal + " ms",
                                            names.abnormal + " ms",
                                            "change ms",
                                            "95 % interval",
                                            "of " + names.normal,
                                            "share of cycle, points",
                                            "q",
                                            "Cliff's delta",
                                            "suspicion",
                                            "n",
                                            "verdict"};
  std::vector<Column> columns;
  for (const std::string& header : headers)
    columns.push_back({header, header, ColumnType::kNumber});
  columns[1].type = ColumnType::kName;
  for (const std::size_t words : {2u, 14u}) columns[words].type = ColumnType::kText;
  columns[3].for_tools = !has_ranks(comparison);
  return columns;
}

Section all_functions(const Comparison& comparison, std::size_t top) {
  Section section;
  section.title = "All functions";
  section.lead =
      "Milliseconds per cycle, medians; the change is the Hodges-Lehmann shift, with its 95 % "
      "interval. Share of cycle: its change in percentage points. q and Cliff's delta are those of "
      "the milliseconds; Cliff's delta goes from -1 (every abnormal cycle has less) to +1 (every "
      "one has more). ~ means no evidence of a change. Click a header to sort, a cut name to see "
      "all of it.";
  section.table.columns = page_columns(comparison);
  const auto rows = drawn_functions(comparison, top == 0 ? comparison.functions.size() : top);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    section.table.rows.push_back(page_row(i + 1, *rows[i]));
  }
  section.table.rows_left_out = comparison.functions.size() - rows.size();
  if (section.table.rows_left_out > 0) {
    section.table.left_out = count_text(section.table.rows_left_out) + " more.";
  }
  return section;
}

// Its causes are headings of a page.
Section cause_headings(const Comparison& comparison) {
  Section section = cause_section(comparison);
  for (Argument& argument : section.arguments) argument.claim = capitalized(argument.claim);
  return section;
}

// "Circles normal, diamonds abnormal"
std::string marks_of_sides(const Comparison& comparison) {
  const SideNames names = side_names(comparison);
  return fmt::format("circles {}, diamonds {}", names.normal, names.abnormal);
}

Section cycle_figure(const Comparison& comparison) {
  const bool has_a_box = std::ranges::any_of(
      comparison.cycles, [](const CycleRow& row) { return has_interval(row.ms.shift); });
  return figure_section(
      "Cycles",
      fmt::format("One mark per cycle: {}. The long ticks are medians{}.",
                  marks_of_sides(comparison),
                  has_a_box ? "; the box is the 95 % interval of the shift, drawn from the "
                              "normal median"
                            : ""),
      cycle_plot(comparison));
}

// ", on the first 16 of 64 ranks" if the picture does not have all of them.
std::string drawn_ranks(const Comparison& comparison) {
  std::set<std::int32_t> ranks;
  for (const FunctionRow& row : comparison.functions) ranks.insert(row.rank);
  if (ranks.size() <= kMostRanksDrawn) return {};
  return fmt::format(", on the first {} of {} ranks", kMostRanksDrawn, ranks.size());
}

// The headline stands above: "Slower: the time rose" becomes "The time rose".
std::string without_headline(const std::string& sentence, std::string_view headline) {
  const std::string opening = fmt::format("{}: ", headline);
  if (!sentence.starts_with(opening) || sentence.size() == opening.size()) return sentence;
  return capitalized(sentence.substr(opening.size()));
}

}  // namespace

std::vector<Section> compare_page_sections(const Comparison& comparison, std::size_t top) {
  return {
      cycle_figure(comparison),
      cycle_section(comparison),
      cause_headings(comparison),
      figure_section(
          comparison.functions.size() > kMostFunctionsDrawn
              ? fmt::format("The first {} functions", kMostFunctionsDrawn)
              : "Functions",
          capitalized(marks_of_sides(comparison)) + ", boxes the 95 % interval of the shift.",
          function_plot(comparison)),
      finding_section(comparison),
      figure_section(
          "How much, and how sure",
          "Diamonds changed, circles show no evidence; the numbers are those of "
          "the table of all functions. q is that of the function's time: of a diamond "
          "above the line only the share of the cycle changed. Functions that ran in one "
          "run only are not in the picture.",
          effect_plot(comparison)),
      figure_section("The device, cycle by cycle",
                     "Bars: share of the cycle with work on the device; hatched cycles are partial "
                     "and left out of the statistics. Line: clock, averaged over each cycle.",
                     timeline_plot(comparison)),
      figure_section("Ranks",
                     fmt::format("{} / {}, milliseconds per cycle{}; a frame marks a "
                                 "significant change.",
                                 side_names(comparison).abnormal, side_names(comparison).normal,
                                 drawn_ranks(comparison)),
                     rank_plot(comparison)),
      appearance_section(comparison, top),
      device_section(comparison),
      idle_section(comparison, top),
      launch_section(comparison),
      metric_section(comparison, top),
      untested_metric_section(comparison, top),
      all_functions(comparison, top),
      quality_section(comparison)};
}

std::string compare_html(const Comparison& comparison, std::size_t top) {
  Document document = compare_document(comparison, top);
  document.headline = headline_of(comparison.answer);
  document.answer = word_of(comparison.answer);
  document.verdict.front() = without_headline(document.verdict.front(), document.headline);
  document.sections = compare_page_sections(comparison, top);
  return document_html(document);
}

}  // namespace strobe::report
