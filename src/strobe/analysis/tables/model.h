#pragma once

#include <vector>

#include "strobe/analysis/launches/attributed_trace.h"
#include "strobe/analysis/steps/step_launches.h"
#include "strobe/analysis/steps/steps.h"
#include "strobe/analysis/tables/summary.h"

namespace strobe::analysis {

// Backward of one step on one thread, in traces that know it only by its operators: from the first
// start to the last end of the outermost operators of the autograd engine that start in the step
// (without steps: of all of them).
//
// It is no node of the tree. Whatever else runs between those operators (the forward of the next
// micro-batch, say) would become part of it there, and vanish from its own phase. So its host time
// is the range, and its device time what the operators themselves launched.
struct BackwardRange {
  Interval interval;
  std::int64_t kernel_ns = 0;
  std::int64_t device_ns = 0;
};
std::vector<BackwardRange> find_backward_ranges(const AttributedTrace& input,
                                                const std::vector<Step>& steps);

// Steps first, then those present of data loading, forward, backward and optimizer: the outermost
// phase on every path down from a thread counts, phases below it do not. Where steps cover only
// their own thread, they are ranges as any other: each counts by itself, unless it stands below a
// phase. Without steps, the first row stands for the whole trace.
std::vector<PhaseTotals> list_phases(const AttributedTrace& input, const std::vector<Step>& steps,
                                     const std::vector<StepLaunches>& launches,
                                     bool steps_cover_all_threads,
                                     const std::vector<BackwardRange>& backward_ranges,
                                     std::int64_t total_ns);

}  // namespace strobe::analysis
