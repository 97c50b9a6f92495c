#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/json_write.h"
#include "strobe/compare/comparison.h"

namespace strobe::report {

// The conclusion of a comparison.
struct CompareVerdict {
  std::string_view answer;  // "slower": for tools
  // Did the cycle change; what the device did, if that is another time; last, why, and how certain
  // that is.
  std::vector<std::string> sentences;
  std::string_view cause;       // "clock"; "" if not known
  std::string_view confidence;  // "high", "medium"; "none" without a cause
};

CompareVerdict verdict_of(const compare::Comparison& comparison);

// {"answer", "sentences", "cause", "confidence"} under "verdict"; a cause that is not known is
// null.
void write_verdict(JsonWriter& json, const CompareVerdict& verdict);

std::string_view word_of(compare::Answer answer);  // "no_change", "slower", "cannot_tell"

bool has_ranks(const compare::Comparison& comparison);  // more than one, on either side

// The direction of a type of cycles, for tools: "slower", "faster", "unclear", "~", "too few".
std::string_view direction_of(const compare::CycleRow& row, compare::Answer answer);

// "95 % interval +8.0 to +12.0 ms", or "no 95 % interval".
std::string interval_words(const compare::CycleRow& row);
// The mean of each run: "10.1 ms, 10.3 ms against 12.0 ms, 12.4 ms".
std::string runs_text(const compare::CycleRow& row);

// The function's verdict is more than "no evidence".
bool is_changed(const compare::FunctionRow& row);

// Its own time or its calls changed, not only its share of a changed cycle.
bool has_own_change(const compare::FunctionRow& row);

// The q of what its row shows: its time.
double shown_q(const compare::FunctionRow& row);

// Its time changed enough for a verdict, but so did the cycle.
bool is_scaled(const compare::FunctionRow& row);

// "slower", "faster"; "share" if only its share of the cycle changed, "~ scaled" if only its time
// did, like the cycle's; "calls", "new", "vanished", "too few"; "~ small", with the size of the
// effect, without evidence.
std::string verdict_text(const compare::FunctionRow& row);

// While the device was busy, if known; idle time says little about a clock.
compare::MetricTime time_of(const compare::MetricRow& row);
// The change in that time. Cycles that share a sample of a slow sampler count as one value.
const compare::Change& change_of(const compare::MetricRow& row);
inline const compare::Change& change_of(const compare::TripletRow& row) { return row.tested(); }

// Both runs have values, but too few for a test.
bool is_untested(const compare::Change& metric);

// The tests confirm that the metric changed.
bool is_changed(const compare::Change& metric);

}  // namespace strobe::report
