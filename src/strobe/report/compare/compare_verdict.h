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

// The direction of a type of cycles: "slower", "faster", "~", "too few".
std::string_view direction_of(const compare::CycleRow& row, compare::Answer answer);

// The function's verdict is more than "no evidence".
bool is_changed(const compare::FunctionRow& row);

// Its own time or its calls changed, not only its share of a changed cycle.
bool has_own_change(const compare::FunctionRow& row);

// The q that its verdict rests on: of its share of the cycle, or of its time.
double shown_q(const compare::FunctionRow& row);

// Its time changed enough for a verdict, but so did the cycle.
bool is_scaled(const compare::FunctionRow& row);

// "slower", "faster"; "share" if only its share of the cycle changed, "~ scaled" if only its time
// did, like the cycle's; "calls", "new", "vanished", "too few"; "~ small", with the size of the
// effect, without evidence.
std::string verdict_text(const compare::FunctionRow& row);

// The change while the device was busy, if known; idle time says little about a clock.
const compare::Change& change_of(const compare::MetricRow& row);
inline const compare::Change& change_of(const compare::TripletRow& row) { return row.mu; }

// The tests confirm that the metric changed.
bool is_changed(const compare::Change& metric);

}  // namespace strobe::report
