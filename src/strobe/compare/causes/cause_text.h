#pragma once

#include <string>

#include "strobe/compare/comparison.h"

namespace strobe::compare {

// "SM clock while busy: 1980 -> 1685 MHz (x 0.85)"
Evidence told(const std::string& what, const MetricRow& metric, const Change& change);
Evidence told(const std::string& what, const Change& change_ms);  // milliseconds per cycle
Evidence told(std::string sentence);

std::string number_text(double value);  // three or four digits, as many as matter

}  // namespace strobe::compare
