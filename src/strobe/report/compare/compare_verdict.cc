#include "strobe/report/compare/compare_verdict.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "strobe/compare/causes/symptoms.h"
#include "strobe/compare/measure/function_index.h"
#include "strobe/report/compare/compare_numbers.h"
#include "strobe/report/render/format.h"

namespace strobe::report {
namespace {

using compare::Answer;
using compare::Cause;
using compare::CauseKind;
using compare::Comparison;
using compare::CycleRow;
using compare::FunctionRow;

// Cycles of this type changed as the answer says.
bool is_slower(const CycleRow& row, Answer answer) {
  return answer == Answer::kSlower && !row.ms.too_few && row.ms.shift.low > 0;
}
bool is_faster(const CycleRow& row, Answer answer) {
  return answer == Answer::kFaster && !row.ms.too_few && row.ms.shift.high < 0;
}

// The type of cycles that the answer is about: the one that changed, else the most frequent one.
const CycleRow* main_cycles(const Comparison& comparison) {
  for (const CycleRow& row : comparison.cycles) {
    if (is_slower(row, comparison.answer) || is_faster(row, comparison.answer)) return &row;
  }
  return comparison.cycles.empty() ? nullptr : &comparison.cycles.front();
}

// With several normal runs: the change compared with the differences among them.
std::string against_noise(const Comparison& comparison, const CycleRow& row) {
  if (!std::isfinite(row.between_runs_p)) return {};
  return fmt::format("; against the differences among {} normal runs, p = {}",
                     comparison.normal.runs, p_text(row.between_runs_p));
}

std::string numbers(const Comparison& comparison, const CycleRow& row) {
  return fmt::format(
      "{} -> {} ({}, {} of normal, 95 % interval {}; n = {}{})", time_text(row.ms.normal_median),
      time_text(row.ms.abnormal_median), time_change_text(row.ms.shift.shift),
      percent_change_text(row.ms.shift.shift, row.ms.normal_median),
      time_interval_text(row.ms.shift), sizes_text(row.ms), against_noise(comparison, row));
}

std::string functions_moved(const Comparison& comparison, std::string_view judgement = {}) {
  const auto moved = std::ranges::count_if(comparison.functions,
                                           [](const FunctionRow& row) { return is_changed(row); });
  const std::string all = counted(comparison.functions.size(), "function");
  return moved == 0 ? fmt::format("none of {} changed", all)
                    : fmt::format("{} of {} changed{}", moved, all, judgement);
}

// Device work that changed although the cycle did not: "kernels on GPU 0 became slower, ...".
std::string kernels_moved(const Comparison& comparison) {
  for (const compare::DeviceRow& device : comparison.devices) {
    const bool is_host = device.device == compare::kHostDevice;
    if (is_host || !compare::is_real(device.busy_ms)) continue;
    if (std::abs(device.busy_ms.ratio() - 1) < 0.02) continue;
    return fmt::format("kernels on {} became {}, {} per cycle; ", device.device,
                       device.busy_ms.rises() ? "slower" : "faster", time_story(device.busy_ms));
  }
  return {};
}

std::string median_time(const CycleRow& row) {
  return row.type == analysis::CycleType::kStep
             ? "median cycle time"
             : fmt::format("median time of {} cycles", word_of(row.type));
}

std::string cycle_sentence(const Comparison& comparison) {
  const CycleRow* row = main_cycles(comparison);
  if (row == nullptr) return "Cannot tell whether anything changed: there are no cycles.";
  const std::string time = median_time(*row);
  switch (comparison.answer) {
    case Answer::kSlower:
      return fmt::format("Slower: the {} rose, {}.", time, numbers(comparison, *row));
    case Answer::kFaster:
      return fmt::format("Faster: the {} fell, {}.", time, numbers(comparison, *row));
    case Answer::kShifted:
      return fmt::format("No significant change of the {}, {}; {}{}.", time,
                         numbers(comparison, *row), kernels_moved(comparison),
                         functions_moved(comparison));
    case Answer::kNoChange:
      return fmt::format("No change found: {} {}; {}.", time, numbers(comparison, *row),
                         functions_moved(comparison, ", in total too little to matter"));
    case Answer::kCannotTell:
      break;
  }
  return fmt::format("From {} cycles it is unclear whether the {} changed: {} -> {}.",
                     sizes_text(row->ms), time, time_text(row->ms.normal_median),
                     time_text(row->ms.abnormal_median));
}

const Cause* first_known(const Comparison& comparison) {
  const auto known = std::ranges::find_if(comparison.causes, [](const Cause& cause) {
    return cause.kind != CauseKind::kUnattributed && cause.kind != CauseKind::kMeasurement;
  });
  return known == comparison.causes.end() ? nullptr : &*known;
}

std::string further_causes(const Comparison& comparison, const Cause& first) {
  std::string text;
  for (const Cause& cause : comparison.causes) {
    if (&cause == &first || cause.score < compare::kConfidentScore) continue;
    text += fmt::format("; also, {} (score {:.2f})", cause.headline, cause.score);
  }
  return text;
}

std::string cause_sentence(const Comparison& comparison, const Cause* cause) {
  if (cause != nullptr) {
    const bool is_sure = cause->score >= compare::kConfidentScore;
    return fmt::format("{} cause: {} ({}, score {:.2f} of 1){}.", is_sure ? "Likely" : "Possible",
                       cause->headline, is_sure ? "confident" : "not sure", cause->score,
                       further_causes(comparison, *cause));
  }
  if (comparison.answer == Answer::kNoChange) return "There is nothing to explain.";
  return "The cause is unknown: no rule found enough evidence.";
}

}  // namespace

bool has_ranks(const Comparison& comparison) {
  return comparison.normal.ranks.size() > 1 || comparison.abnormal.ranks.size() > 1;
}

std::string_view word_of(Answer answer) {
  switch (answer) {
    case Answer::kNoChange:
      return "no_change";
    case Answer::kSlower:
      return "slower";
    case Answer::kFaster:
      return "faster";
    case Answer::kShifted:
      return "shifted";
    case Answer::kCannotTell:
      return "cannot_tell";
  }
  return "";
}

std::string_view direction_of(const CycleRow& row, Answer answer) {
  if (row.ms.too_few) return "too few";
  if (is_slower(row, answer)) return "slower";
  return is_faster(row, answer) ? "faster" : kNoEvidence;
}

bool is_changed(const FunctionRow& row) {
  return row.verdict != compare::Verdict::kSame && row.verdict != compare::Verdict::kTooFew;
}

bool has_own_change(const FunctionRow& row) {
  if (row.verdict != compare::Verdict::kChanged) return is_changed(row);
  return row.ms.shift.low > 0 || row.ms.shift.high < 0;
}

bool is_scaled(const FunctionRow& row) {
  constexpr double kLeastShare = 0.02;
  return row.verdict == compare::Verdict::kSame &&
         (row.ms.shift.low > 0 || row.ms.shift.high < 0) &&
         std::abs(row.ms.shift.shift) >= kLeastShare * row.ms.normal_median &&
         !(std::abs(row.beta.cliffs_delta) >= compare::kLargeDelta);
}

std::string verdict_text(const FunctionRow& row) {
  using compare::Verdict;
  switch (row.verdict) {
    case Verdict::kChanged:
      return row.ms.shift.low > 0 ? "slower" : row.ms.shift.high < 0 ? "faster" : "share";
    case Verdict::kCallsChanged:
      return "calls";
    case Verdict::kTooFew:
      return "too few";
    case Verdict::kNew:
    case Verdict::kVanished:
      return std::string(word_of(row.verdict));
    case Verdict::kSame:
      break;
  }
  return fmt::format("{} {}", kNoEvidence,
                     is_scaled(row) ? "scaled" : band_of(row.beta.cliffs_delta));
}

const compare::Change& change_of(const compare::MetricRow& row) {
  return row.busy.normal.n > 0 && row.busy.abnormal.n > 0 ? row.busy : row.all;
}

bool is_changed(const compare::Change& metric) {
  return !metric.too_few && metric.q < compare::kSignificant &&
         std::abs(metric.cliffs_delta) >= compare::kLargeDelta;
}

CompareVerdict verdict_of(const Comparison& comparison) {
  const Cause* cause = first_known(comparison);
  CompareVerdict verdict;
  verdict.answer = word_of(comparison.answer);
  verdict.sentences = {cycle_sentence(comparison), cause_sentence(comparison, cause)};
  verdict.cause = cause == nullptr ? std::string_view() : compare::word_of(cause->kind);
  verdict.confidence = cause == nullptr                           ? "none"
                       : cause->score >= compare::kConfidentScore ? "high"
                                                                  : "medium";
  return verdict;
}

}  // namespace strobe::report
