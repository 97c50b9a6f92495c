#include "strobe/report/compare/compare_verdict.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/compare/causes/symptoms.h"
#include "strobe/compare/measure/function_index.h"
#include "strobe/report/compare/compare_numbers.h"
#include "strobe/report/compare/compare_untested.h"
#include "strobe/report/render/format.h"
#include "strobe/report/render/json_rows.h"

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
  return answer == Answer::kSlower && row.is_slower();
}
bool is_faster(const CycleRow& row, Answer answer) {
  return answer == Answer::kFaster && row.is_faster();
}

// The type of cycles that the answer is about: the one that changed, else the most frequent one.
const CycleRow* main_cycles(const Comparison& comparison) {
  for (const CycleRow& row : comparison.cycles) {
    if (is_slower(row, comparison.answer) || is_faster(row, comparison.answer)) return &row;
  }
  return comparison.cycles.empty() ? nullptr : &comparison.cycles.front();
}

// What the number of observations is: cycles, or runs if there are several.
std::string observations_text(const CycleRow& row) {
  if (!row.run_shift) return sizes_text(row.ms);
  const std::string p = p_text(row.between_runs_p);
  return fmt::format("{} and {} runs; p {} that runs of one program differ as much",
                     row.run_ms_normal.size(), row.run_ms_abnormal.size(),
                     p.starts_with('<') ? p : "= " + p);
}

// The typical difference is not that of the medians, so it says what it is.
std::string numbers(const CycleRow& row) {
  const std::string_view what = row.run_shift       ? "means of the runs:"
                                : row.shows_means() ? "without the wildest cycles:"
                                                    : "typical difference (Hodges-Lehmann)";
  return fmt::format("{} -> {}, {} {} or {} of normal ({}; n = {})",
                     time_text(row.shown_normal_ms()), time_text(row.shown_abnormal_ms()), what,
                     time_change_text(row.shown().shift),
                     percent_change_text(row.shown().shift, row.shown_normal_ms()),
                     interval_words(row), observations_text(row));
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
    if (is_host || device.outlasts_cycles || !compare::is_real(device.busy_ms)) continue;
    if (std::abs(device.busy_ms.core_ratio() - 1) < 0.02) continue;
    if (device.busy_ms.normal.mean == 0 || device.busy_ms.abnormal.mean == 0) {
      return fmt::format("only one run has work on {}; ", device.device);
    }
    return fmt::format("kernels on {} became {}, {} per cycle; ", device.device,
                       device.busy_ms.rises() ? "slower" : "faster", time_story(device.busy_ms));
  }
  return {};
}

std::string typical_time(const CycleRow& row) {
  const std::string_view kind = row.shows_means() ? "mean" : "median";
  return row.type == analysis::CycleType::kStep
             ? fmt::format("{} cycle time", kind)
             : fmt::format("{} time of {} cycles", kind, word_of(row.type));
}

// "the device waits for the host during 85 % of the cycle, and all calls of the host took 25 % ..."
std::string usual_noise(const compare::RunNoise& noise, bool rises) {
  const std::string share = fmt::format(
      "the device waits for the host during {:.0f} % of the cycle", 100 * noise.host_share);
  if (std::abs(noise.host_speed - 1) >= 0.05 && (noise.host_speed > 1) == rises) {
    return fmt::format(
        "{}, and all calls of the host took {:.0f} % {} time, as they may in another run", share,
        100 * std::abs(noise.host_speed - 1), noise.host_speed > 1 ? "more" : "less");
  }
  const double usual = noise.is_speed_known ? noise.rest_deviation : noise.deviation;
  return fmt::format("{}, and such cycles differ by up to {:.0f} % from run to run", share,
                     100 * std::expm1(2 * usual));
}

// Why a difference of the cycles is none of the runs, for sure.
std::string noise_words(const Comparison& comparison, const CycleRow& row) {
  const compare::RunNoise& noise = comparison.noise;
  if (row.run_shift) {
    return fmt::format(
        "but runs of one program differ as much: {}. The runs are {}; more of them would tell",
        usual_noise(noise, row.rises()), runs_text(row));
  }
  if (!row.is_changed()) {
    const bool is_one_run = noise.deviation == 0;
    return fmt::format("but the cycles of a run differ as much. More cycles{} would tell",
                       is_one_run ? "" : ", or three runs a side (strobe record --runs 3),");
  }
  return fmt::format(
      "but runs of one program differ as much: {}. Three runs a side would tell (strobe record "
      "--runs 3)",
      usual_noise(noise, row.rises()));
}

// A device that goes on long after the cycles: their time is the host's, so the device's own time
// is compared beside it.
std::string device_sentence(const Comparison& comparison) {
  const auto device =
      std::ranges::find_if(comparison.devices, &compare::DeviceRow::outlasts_cycles);
  if (device == comparison.devices.end()) return {};
  std::string text = fmt::format(
      "{} goes on long after the cycles ({} in the normal run, {} in the abnormal one): the cycle "
      "time is the host's time",
      device->device, time_text(device->overhang_normal_ms),
      time_text(device->overhang_abnormal_ms));
  if (device->launched_ms.normal.n == 0) return text + ".";
  return text + fmt::format("; the device needs {} for the work of a cycle.",
                            time_story(device->launched_ms));
}

// Why a difference that is beyond chance is no change.
std::string smallness(const CycleRow& row) {
  const stats::Shift& shift = row.shown();
  const bool is_sure = shift.low > 0 || shift.high < 0;
  const bool is_small = std::abs(shift.shift) < compare::kLeastChange * row.shown_normal_ms();
  return is_sure && is_small
             ? fmt::format("less than {:.0f} % does not count; ", 100 * compare::kLeastChange)
             : "";
}

std::string cycle_sentence(const Comparison& comparison) {
  const CycleRow* row = main_cycles(comparison);
  if (row == nullptr) return "Cannot tell whether anything changed: there are no cycles.";
  const std::string time =
      typical_time(*row) + (device_sentence(comparison).empty() ? "" : " of the host");
  switch (comparison.answer) {
    case Answer::kSlower:
      return fmt::format("Slower: the {} rose, {}.", time, numbers(*row));
    case Answer::kFaster:
      return fmt::format("Faster: the {} fell, {}.", time, numbers(*row));
    case Answer::kUnclear:
      return fmt::format("Unclear: the {} {}, {}, {}.", time, row->rises() ? "rose" : "fell",
                         numbers(*row), noise_words(comparison, *row));
    case Answer::kShifted:
      return fmt::format("No significant change of the {}, {}; {}{}{}.", time, numbers(*row),
                         smallness(*row), kernels_moved(comparison), functions_moved(comparison));
    case Answer::kNoChange:
      return fmt::format("No change found: {} {}; {}{}.", time, numbers(*row), smallness(*row),
                         functions_moved(comparison, ", in total too little to matter"));
    case Answer::kCannotTell:
      break;
  }
  const double difference = row->ms.abnormal_median - row->ms.normal_median;
  return fmt::format(
      "From {} cycles it is unclear whether the {} changed: {} -> {} ({} of normal, not tested).",
      sizes_text(row->ms), time, time_text(row->ms.normal_median),
      time_text(row->ms.abnormal_median), percent_change_text(difference, row->ms.normal_median));
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
  const bool is_uncertain =
      comparison.answer == Answer::kUnclear || comparison.answer == Answer::kNoChange;
  if (cause != nullptr && is_uncertain) {
    return fmt::format("What is known to differ: {} (score {:.2f} of 1){}.", cause->headline,
                       cause->score, further_causes(comparison, *cause));
  }
  if (cause != nullptr) {
    const bool is_sure = cause->score >= compare::kConfidentScore;
    return fmt::format("{} cause: {} ({}, score {:.2f} of 1){}.", is_sure ? "Likely" : "Possible",
                       cause->headline, is_sure ? "confident" : "not sure", cause->score,
                       further_causes(comparison, *cause));
  }
  if (comparison.answer == Answer::kNoChange) return "There is nothing to explain.";
  if (comparison.answer == Answer::kUnclear) {
    return "No cause is named for a difference that may be chance.";
  }
  if (comparison.answer == Answer::kShifted) {
    return "No cause is named: the cycle time did not change beyond chance.";
  }
  if (comparison.answer == Answer::kCannotTell) {
    const std::vector<std::string> largest = untested_differences(comparison);
    return largest.empty() ? "There are too few cycles to test for a cause."
                           : fmt::format(
                                 "There are too few cycles to test for a cause; the "
                                 "largest differences, untested: {}.",
                                 fmt::join(largest, "; "));
  }
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
    case Answer::kUnclear:
      return "unclear";
    case Answer::kCannotTell:
      return "cannot_tell";
  }
  return "";
}

std::string_view direction_of(const CycleRow& row, Answer answer) {
  if (row.ms.too_few) return "too few";
  if (is_slower(row, answer)) return "slower";
  if (is_faster(row, answer)) return "faster";
  const bool is_unclear = answer == Answer::kUnclear && (row.is_changed() || row.differs_much());
  return is_unclear ? "unclear" : kNoEvidence;
}

std::string runs_text(const CycleRow& row) {
  const auto listed = [](const std::vector<double>& run_ms) {
    std::vector<std::string> texts;
    for (const double ms : run_ms) texts.push_back(time_text(ms));
    return fmt::format("{}", fmt::join(texts, ", "));
  };
  return fmt::format("{} against {}", listed(row.run_ms_normal), listed(row.run_ms_abnormal));
}

std::string interval_words(const CycleRow& row) {
  return has_interval(row.shown()) ? "95 % interval " + time_interval_text(row.shown())
                                   : "no 95 % interval";
}

bool is_changed(const FunctionRow& row) {
  return row.verdict != compare::Verdict::kSame && row.verdict != compare::Verdict::kTooFew;
}

bool has_own_change(const FunctionRow& row) {
  if (row.verdict != compare::Verdict::kChanged) return is_changed(row);
  return row.own_ms().shift.low > 0 || row.own_ms().shift.high < 0;
}

double shown_q(const FunctionRow& row) { return row.own_ms().q; }

bool is_scaled(const FunctionRow& row) {
  constexpr double kLeastShare = 0.02;
  const compare::Change& ms = row.own_ms();
  return row.verdict == compare::Verdict::kSame && !row.launched.decides &&
         (ms.shift.low > 0 || ms.shift.high < 0) &&
         std::abs(ms.shift.shift) >= kLeastShare * ms.normal_median &&
         !(std::abs(row.beta.cliffs_delta) >= compare::kLargeDelta);
}

std::string verdict_text(const FunctionRow& row) {
  using compare::Verdict;
  const compare::Change& ms = row.own_ms();
  switch (row.verdict) {
    case Verdict::kChanged:
      return ms.shift.low > 0 ? "slower" : ms.shift.high < 0 ? "faster" : "share";
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
                     is_scaled(row)
                         ? "scaled"
                         : band_of(row.launched.decides ? ms.cliffs_delta : row.beta.cliffs_delta));
}

compare::MetricTime time_of(const compare::MetricRow& row) {
  return row.busy.normal.n > 0 && row.busy.abnormal.n > 0 ? compare::MetricTime::kBusy
                                                          : compare::MetricTime::kCycle;
}

const compare::Change& change_of(const compare::MetricRow& row) { return row.tested(time_of(row)); }

bool is_untested(const compare::Change& metric) {
  return metric.too_few && metric.normal.n > 0 && metric.abnormal.n > 0;
}

bool is_changed(const compare::Change& metric) {
  return !metric.too_few && metric.q < compare::kSignificant &&
         std::abs(metric.cliffs_delta) >= compare::kLargeDelta;
}

void write_verdict(JsonWriter& json, const CompareVerdict& verdict) {
  json.key("verdict").begin_object().member("answer", verdict.answer);
  write_texts(json, "sentences", verdict.sentences);
  json.key("cause");
  if (verdict.cause.empty()) {
    json.null();
  } else {
    json.value(verdict.cause);
  }
  json.member("confidence", verdict.confidence).end_object();
}

CompareVerdict verdict_of(const Comparison& comparison) {
  const Cause* cause = first_known(comparison);
  CompareVerdict verdict;
  verdict.answer = word_of(comparison.answer);
  verdict.sentences = {cycle_sentence(comparison)};
  if (std::string device = device_sentence(comparison); !device.empty()) {
    verdict.sentences.push_back(std::move(device));
  }
  verdict.sentences.push_back(cause_sentence(comparison, cause));
  verdict.cause = cause == nullptr ? std::string_view() : compare::word_of(cause->kind);
  verdict.confidence = cause == nullptr                           ? "none"
                       : cause->score >= compare::kConfidentScore ? "high"
                                                                  : "medium";
  return verdict;
}

}  // namespace strobe::report
