#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "strobe/compare/comparison.h"

// The pictures of a comparison, each one SVG; "" if there is nothing to draw.
namespace strobe::report {

// The functions worth a picture, in the comparison's order, changed ones first (unless it is by
// impact).
std::vector<const compare::FunctionRow*> drawn_functions(const compare::Comparison& comparison,
                                                         std::size_t most);

// A mark for every cycle, one lane per run; the medians and the interval of their shift.
std::string cycle_plot(const compare::Comparison& comparison);
// The first functions: normal and abnormal milliseconds per cycle, with the interval.
inline constexpr std::size_t kMostFunctionsDrawn = 20;
std::string function_plot(const compare::Comparison& comparison);
// Slowdown and q of every function.
std::string effect_plot(const compare::Comparison& comparison);
// Both runs cycle by cycle: the clock of the busiest device and its busy share.
std::string timeline_plot(const compare::Comparison& comparison);
// Slowdown by rank and function, of the first ranks: with more, the numbers do not fit into cells.
inline constexpr std::size_t kMostRanksDrawn = 16;
std::string rank_plot(const compare::Comparison& comparison);

}  // namespace strobe::report
