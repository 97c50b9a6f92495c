#pragma once

#include <string>
#include <string_view>

#include "strobe/compare/change.h"

// The numbers of a comparison for people: each with its unit, each difference with its interval.
namespace strobe::report {

inline constexpr std::string_view kNoEvidence = "~";  // before the size of an effect, and for tools
inline constexpr std::string_view kNoEvidenceWords = "no evidence";  // where nothing follows

std::string time_text(double ms);         // "20.3 ms", "0", "-" if there is none
std::string time_change_text(double ms);  // "+44.1 ms"

// Both ends in one unit: "+43.1 to +47.2 ms"; "none" if there are too few values.
std::string time_interval_text(const stats::Shift& shift_ms);
bool has_interval(const stats::Shift& shift);

// For columns whose header has the unit: "20.3", "0.0123"; "+44.1"; "+43.1, +47.2".
std::string ms_text(double ms);
std::string ms_change_text(double ms);
std::string ms_interval_text(const stats::Shift& shift_ms);

std::string quantity_text(double value, std::string_view unit);  // "1,155 MHz", "517 MB/s"
// For percentages: percentage points, "ppt".
std::string quantity_change_text(double value, std::string_view unit);
std::string quantity_interval_text(const stats::Shift& shift, std::string_view unit);

std::string percent_change_text(double change, double whole);  // "+4.7 %"; "-" if unknown

std::string p_text(double p);          // "0.023", "<0.001"; "-" if there is none
std::string score_text(double score);  // "1,562", "7.08", "0.012"

// The usual words for Cliff's delta: negligible, small, medium, large.
std::string_view band_of(double cliffs_delta);

// "12 and 10": the cycles of both runs.
std::string sizes_text(const compare::Change& change);

// "751 -> 760 ms (+9.10 ms, 95 % interval +2.00 to +14.1 ms)": medians and their shift; with "no 95
// % interval" if there is none.
std::string time_story(const compare::Change& ms);

}  // namespace strobe::report
