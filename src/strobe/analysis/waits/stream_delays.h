#pragma once

#include <vector>

#include "strobe/analysis/launches/attribution.h"
#include "strobe/analysis/waits/waits.h"
#include "strobe/base/interval.h"

namespace strobe::analysis {

// One row per stream with device work in the span, by device, then stream. The queue counts while
// the work waits inside the span.
std::vector<StreamRow> measure_streams(const AttributedTrace& input, const IntervalSet& span);

// By device, then stream; numbers by value and before other names. Equal ones keep their order.
void sort_streams(std::vector<StreamRow>& rows);

}  // namespace strobe::analysis
