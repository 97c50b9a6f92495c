#pragma once

#include "strobe/compare/comparison.h"

namespace strobe::compare {

// Gives function rows and triplets their scores.
void score_rows(Comparison& comparison);

// Sorts both by the key; ties by function, metric, device (bytes), then rank and type.
void sort_rows(Comparison& comparison, RankKey order);

}  // namespace strobe::compare
