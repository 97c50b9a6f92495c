#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "strobe/compare/comparison.h"

// The pictures of a comparison, each one SVG; "" where there is nothing to draw.
namespace strobe::report {

// The functions worth a picture, in the comparison's order, changed ones first.
std::vector<const compare::FunctionRow*> drawn_functions(const compare::Comparison& comparison,
                                                         std::size_t most);

// Every cycle a mark, one lane per run; the medians and the interval of their shift.
std::string cycle_plot(const compare::Comparison& comparison);
// The twenty first functions: normal and abnormal milliseconds per cycle, with the interval.
std::string function_plot(const compare::Comparison& comparison);
// How much against how sure: slowdown and q of every function.
std::string effect_plot(const compare::Comparison& comparison);
// Cycle by cycle, both runs: the busiest device's clock and how much of the cycle it worked.
std::string timeline_plot(const compare::Comparison& comparison);
// Slowdown by rank and function.
std::string rank_plot(const compare::Comparison& comparison);

}  // namespace strobe::report
