#include "strobe/report/compare/compare_report.h"

#include <algorithm>

#include <fmt/format.h>

#include "strobe/report/compare/compare_numbers.h"
#include "strobe/report/compare/compare_untested.h"
#include "strobe/report/compare/compare_verdict.h"
#include "strobe/report/compare/side_names.h"
#include "strobe/report/render/display_text.h"
#include "strobe/report/render/format.h"

namespace strobe::report {
namespace {

using analysis::CycleList;
using compare::Cause;
using compare::Comparison;
using compare::CycleRow;
using compare::Evidence;
using compare::SideFacts;

std::string cycles_words(const SideFacts& side) {
  if (side.ranks.empty()) return "";
  const CycleList& list = side.ranks.front().cycles;
  if (list.method == analysis::CycleMethod::kWholeTrace)
    return "taken as a whole, not divided into cycles";
  std::string words =
      fmt::format("{} by {}", counted(list.cycles.size(), "cycle"), word_of(list.method));
  if (!list.marker.empty()) words += fmt::format(" ({})", fit_name(list.marker, 40));
  if (list.clock == analysis::CycleClock::kDevice) {
    words += "; the host runs ahead, so a cycle ends with the last work it launched";
  }
  if (side.ranks.size() > 1) words += fmt::format(", {}", counted(side.ranks.size(), "rank"));
  if (side.runs > 1) words += fmt::format(", {}", counted(side.runs, "run"));
  return words;
}

Fact side_fact(const SideFacts& side, const std::string& key, const std::string& name) {
  return {key, name, Text{side.path}, cycles_words(side)};
}

// Of a type of cycles, for people.
std::string direction_words(const CycleRow& row, compare::Answer answer) {
  const std::string_view direction = direction_of(row, answer);
  return std::string(direction == kNoEvidence ? kNoEvidenceWords : direction);
}

std::vector<std::string> texts_of(const std::vector<Evidence>& evidence) {
  std::vector<std::string> texts;
  for (const Evidence& one : evidence) texts.push_back(one.text);
  return texts;
}

std::string of_type(const CycleRow& row, bool names_type) {
  return names_type ? fmt::format(" of {} cycles", word_of(row.type)) : "";
}

std::string mean_note(const CycleRow& row, bool names_type) {
  return fmt::format(
      "Means{}: {} -> {}, {} or {} of normal; Cliff's delta {:+.2f} ({}), from -1 (every abnormal "
      "cycle is shorter) to +1 (every one is longer).",
      of_type(row, names_type), time_text(row.ms.normal.mean), time_text(row.ms.abnormal.mean),
      time_change_text(row.ms.difference()),
      percent_change_text(row.ms.difference(), row.ms.normal.mean), row.ms.cliffs_delta,
      band_of(row.ms.cliffs_delta));
}

// The shift does not show what the means show.
std::string decided_by_means_note(const CycleRow& row, bool names_type) {
  return fmt::format(
      "The verdict{} is that of the means, because the typical difference does not show what "
      "strikes some cycles only. Without the wildest cycles: {} -> {}, {} (95 % interval {}).",
      of_type(row, names_type), time_text(row.ms.normal_core.mean),
      time_text(row.ms.abnormal_core.mean), time_change_text(row.ms.core_shift.shift),
      time_interval_text(row.ms.core_shift));
}

std::string decided_by_runs_note(const CycleRow& row, bool names_type) {
  return fmt::format(
      "Times, change, interval and verdict{} are those of the runs, because cycles of one run "
      "share what made it fast or slow. Means of the runs: {}.",
      of_type(row, names_type), runs_text(row));
}

}  // namespace

Section cycle_section(const Comparison& comparison) {
  Section section;
  section.key = "cycle_test";
  section.title = "Cycle time";
  section.lead =
      "Medians over cycles; the change is the typical difference between a cycle of one run and "
      "one of the other (the Hodges-Lehmann shift), with its interval. p of the rank test "
      "(Mann-Whitney) and of the mean test (Welch), both two-sided.";
  const SideNames names = side_names(comparison);
  section.table.columns = {{"cycles", "cycles", ColumnType::kText, 9},
                           {"n", "n", ColumnType::kNumber, 6},
                           {"normal", names.normal, ColumnType::kNumber, 8},
                           {"abnormal", names.abnormal, ColumnType::kNumber, 8},
                           {"change", "change", ColumnType::kNumber, 8},
                           {"interval", "95 % interval", ColumnType::kNumber, 7},
                           {"rank_p", "rank\ntest p", ColumnType::kNumber, 5},
                           {"welch_p", "mean\ntest p", ColumnType::kNumber, 4},
                           {"verdict", "verdict", ColumnType::kText, 8}};
  for (const CycleRow& row : comparison.cycles) {
    const compare::Change& ms = row.ms;
    const stats::Shift& shift = row.run_shift ? *row.run_shift : ms.shift;
    section.table.rows.push_back(
        {{Text{std::string(word_of(row.type))}, Text{sizes_text(ms)},
          Text{time_text(row.run_shift ? row.shown_normal_ms() : ms.normal_median)},
          Text{time_text(row.run_shift ? row.shown_abnormal_ms() : ms.abnormal_median)},
          Text{time_change_text(shift.shift)}, Text{time_interval_text(shift)},
          Text{p_text(ms.rank.p)}, Text{p_text(ms.welch.p)},
          Text{direction_words(row, comparison.answer)}},
         RowStyle::kPlain});
    const bool names_type = comparison.cycles.size() > 1;
    if (row.run_shift) {
      section.notes.push_back(decided_by_runs_note(row, names_type));
    } else if (row.shows_means()) {
      section.notes.push_back(decided_by_means_note(row, names_type));
    }
    section.notes.push_back(mean_note(row, names_type));
  }
  return section;
}

Section cause_section(const Comparison& comparison) {
  Section section;
  section.key = "causes";
  section.title = "Causes";
  if (comparison.answer == compare::Answer::kCannotTell) {
    section.lead =
        "There are too few cycles to test for a cause. The largest differences, untested:";
    section.points = untested_differences(comparison);
    if (section.points.empty()) section.lead = "There are too few cycles to test for a cause.";
    return section;
  }
  section.lead = comparison.causes.empty()
                     ? verdict_of(comparison).sentences.back()
                     : "Evidence for a cause (+) and against it (-); numbers are medians, unless "
                       "they say 'on average'. A score of 0.75 or more is confident; causes below "
                       "0.5 are not listed.";
  for (const Cause& cause : comparison.causes) {
    section.arguments.push_back({fmt::format("{} (score {:.2f})", cause.headline, cause.score),
                                 texts_of(cause.evidence), texts_of(cause.against), cause.advice});
  }
  return section;
}

Section quality_section(const Comparison& comparison) {
  Section section;
  section.key = "quality";
  section.title = "Data quality";
  section.points = comparison.quality;
  if (section.points.empty()) section.points.emplace_back("no problems found");
  return section;
}

Document compare_document(const Comparison& comparison, std::size_t top) {
  Document document;
  document.schema = "strobe.compare";
  document.title = fmt::format("strobe compare: {} against {}", comparison.abnormal.label,
                               comparison.normal.label);
  document.verdict = verdict_of(comparison).sentences;
  const SideNames names = side_names(comparison);
  document.facts = {side_fact(comparison.normal, "normal", names.normal),
                    side_fact(comparison.abnormal, "abnormal", names.abnormal)};
  document.sections = {
      cycle_section(comparison),           cause_section(comparison),
      finding_section(comparison),         function_section(comparison, top),
      appearance_section(comparison, top), device_section(comparison),
      idle_section(comparison, top),       launch_section(comparison),
      metric_section(comparison, top),     untested_metric_section(comparison, top),
      quality_section(comparison)};
  std::erase_if(document.sections, is_empty);
  return document;
}

}  // namespace strobe::report
