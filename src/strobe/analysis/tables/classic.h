#pragma once

#include <cstdint>
#include <vector>

#include "strobe/analysis/launches/attribution.h"
#include "strobe/analysis/launches/op_tree.h"
#include "strobe/analysis/steps/step_breakdown.h"
#include "strobe/analysis/steps/steps.h"
#include "strobe/analysis/tables/tables.h"

// The tables of TreeRules::kCompatible that count differently from strobe's own.
namespace strobe::analysis {

// Backward of one step on one thread, in traces that show it only through its operators: from the
// first start to the last end of the outermost operators of the autograd engine that start in the
// step (without steps: of all of them).
//
// It is not a node of the tree: as a node it would also contain everything else that runs between
// those operators (for example the forward of the next micro-batch). So its host time is the range,
// and its device time is what the operators themselves launched.
struct BackwardRange {
  Interval interval;
  std::int64_t kernel_ns = 0;
  std::int64_t device_ns = 0;
};
std::vector<BackwardRange> find_backward_ranges(const AttributedTrace& input,
                                                const std::vector<Step>& steps);

// Steps first, then data loading, forward, backward and optimizer if present. The outermost phase
// on every path down from a thread counts, phases below it do not. Where steps cover only their own
// thread, they are ordinary ranges: each counts by itself, unless it is below a phase. Without
// steps, the first row represents the whole trace. Totals are sums over all threads.
std::vector<PhaseTotals> list_classic_phases(const AttributedTrace& input,
                                             const std::vector<Step>& steps,
                                             const std::vector<StepLaunches>& launches,
                                             bool steps_cover_all_threads,
                                             const std::vector<BackwardRange>& backward_ranges,
                                             std::int64_t total_ns);

// The host's time by kind of slice; slices without a kind by their category, behind the others.
// Interpreter frames and the profiler's own slices are left out; backward ranges are kBackward.
std::vector<TypeRow> list_classic_host_types(const AttributedTrace& input,
                                             const TimeSelection& selection,
                                             const std::vector<BackwardRange>& backward_ranges);

// Communication and computation. A host range communicates if it is a communication range or a
// collective operator; a kernel if it is a collective or was launched anywhere below such a range.
// A kernel below such a range that is not a collective itself also counts as computation, unless
// the range launched it directly. Kernels without a known launch take no part.
CommunicationTotals add_up_classic_communication(const AttributedTrace& input);

}  // namespace strobe::analysis
