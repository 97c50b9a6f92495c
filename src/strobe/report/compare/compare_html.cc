#include "strobe/report/compare/compare_formats.h"

#include <cmath>

#include <fmt/format.h>

#include "strobe/base/text.h"
#include "strobe/report/compare/compare_numbers.h"
#include "strobe/report/compare/compare_plots.h"
#include "strobe/report/compare/compare_report.h"
#include "strobe/report/compare/compare_verdict.h"
#include "strobe/report/render/document_html.h"
#include "strobe/report/render/format.h"

namespace strobe::report {
namespace {

using compare::Answer;
using compare::Comparison;
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

Row function_row(std::size_t number, const FunctionRow& row) {
  const compare::Change& ms = row.own_ms();
  const double median = ms.normal_median;
  const double shift = ms.shift.shift;
  return {
      {sorted_by(static_cast<double>(number), std::to_string(number)), Text{row.key.name},
       Text{row.key.device}, Text{std::to_string(row.rank)}, sorted_by(median, ms_text(median)),
       sorted_by(ms.abnormal_median, ms_text(ms.abnormal_median)),
       sorted_by(shift, ms_change_text(shift)), sorted_by(ms.shift.low, ms_interval_text(ms.shift)),
       sorted_by(100 * shift / median, percent_change_text(shift, median)),
       sorted_by(row.beta.shift.shift, fmt::format("{:+.2f}", row.beta.shift.shift)),
       sorted_by(shown_q(row), p_text(shown_q(row))),
       sorted_by(row.beta.cliffs_delta,
                 fmt::format("{:+.2f} {}", row.beta.cliffs_delta, band_of(row.beta.cliffs_delta))),
       sorted_by(row.suspicion, score_text(row.suspicion)),
       Text{fmt::format("{},{}", ms.normal.n, ms.abnormal.n)}, Text{verdict_text(row)}},
      is_changed(row) ? RowStyle::kChanged : RowStyle::kPlain};
}

Section all_functions(const Comparison& comparison, std::size_t top) {
  Section section;
  section.title = "All functions";
  section.lead =
      "Milliseconds per cycle, medians; the change is the Hodges-Lehmann shift, with its 95 % "
      "interval. ~ means no evidence of a change. Click a header to sort.";
  for (const char* header :
       {"#", "function", "device", "rank", "normal ms", "abnormal ms", "change ms", "95 % interval",
        "of normal", "share of cycle, points", "q", "Cliff's delta", "suspicion", "n", "verdict"}) {
    section.table.columns.push_back({header, header, ColumnType::kNumber});
  }
  section.table.columns[1].type = ColumnType::kName;
  for (const std::size_t words : {2u, 3u, 14u}) {
    section.table.columns[words].type = ColumnType::kText;
  }
  const auto rows = drawn_functions(comparison, top == 0 ? comparison.functions.size() : top);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    section.table.rows.push_back(function_row(i + 1, *rows[i]));
  }
  section.table.rows_left_out = comparison.functions.size() - rows.size();
  if (section.table.rows_left_out > 0) {
    section.table.left_out = count_text(section.table.rows_left_out) + " more.";
  }
  return section;
}

// The headline stands above: "Slower: the time rose" becomes "The time rose".
std::string without_headline(const std::string& sentence, std::string_view headline) {
  const std::string opening = fmt::format("{}: ", headline);
  if (!sentence.starts_with(opening) || sentence.size() == opening.size()) return sentence;
  std::string rest = sentence.substr(opening.size());
  if (rest[0] >= 'a' && rest[0] <= 'z') rest[0] = static_cast<char>(rest[0] - 'a' + 'A');
  return rest;
}

}  // namespace

std::vector<Section> compare_page_sections(const Comparison& comparison, std::size_t top) {
  return {
      figure_section(
          "Cycles",
          "One mark per cycle: circles normal, diamonds abnormal. The long ticks are medians; the "
          "box is the 95 % interval of the shift, drawn from the normal median.",
          cycle_plot(comparison)),
      cycle_section(comparison),
      cause_section(comparison),
      figure_section("The first twenty functions",
                     "Circle normal, diamond abnormal, box the 95 % interval of the shift.",
                     function_plot(comparison)),
      finding_section(comparison),
      figure_section("How much, and how sure",
                     "Diamonds changed, circles show no evidence; the numbers are those of the "
                     "list above. Functions that ran in one run only are not in the picture.",
                     effect_plot(comparison)),
      figure_section("The device, cycle by cycle",
                     "Bars: share of the cycle with work on the device; hatched cycles are partial "
                     "and left out of the statistics. Line: clock, averaged over each cycle.",
                     timeline_plot(comparison)),
      figure_section("Ranks",
                     "Abnormal / normal milliseconds per cycle; a frame marks a significant "
                     "change.",
                     rank_plot(comparison)),
      appearance_section(comparison, top),
      device_section(comparison),
      idle_section(comparison, top),
      launch_section(comparison),
      metric_section(comparison, top),
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
