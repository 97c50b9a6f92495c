#pragma once

#include "strobe/compare/comparison.h"

namespace strobe::compare {

// What is said of a function row whose numbers are complete, q included.
Verdict verdict_of(const FunctionRow& row);

}  // namespace strobe::compare
