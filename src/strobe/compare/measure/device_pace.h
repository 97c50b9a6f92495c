#pragma once

#include "strobe/analysis/cycles/cycles.h"
#include "strobe/analysis/launches/attribution.h"

namespace strobe::compare {

// Cycles of the kernels' sequence or of the busy signal are in the device's own time.
bool is_cut_by_host(analysis::CycleMethod method);

// A host that runs ahead of its device marks how fast it launches work (short, short, short, then a
// long wait), not how fast the work is done. Cycles that the host cut are then taken where the pace
// is set: each ends with the last work that was launched in it, or before the next one began, and
// the next one starts there. Their lengths add up to the whole span, as the host's do. Nothing
// changes if the host is less than a tenth of a cycle ahead, typically, or if a cycle has no work
// with a known launch.
void follow_device(const analysis::AttributedTrace& input, analysis::CycleList& cycles);

}  // namespace strobe::compare
