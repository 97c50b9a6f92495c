#pragma once

#include <cstdint>
#include <vector>

#include "strobe/analysis/launches/attribution.h"
#include "strobe/analysis/launches/op_tree.h"
#include "strobe/analysis/steps/step_breakdown.h"
#include "strobe/analysis/steps/steps.h"
#include "strobe/analysis/tables/summary.h"

// The tables that a summary consists of, each from an attributed trace.
namespace strobe::analysis {

// How busy every device was.
std::vector<DeviceRow> list_devices(const AttributedTrace& input);

// How busy every host thread was, in the order of the trees; idle threads are left out.
std::vector<HostThreadRow> list_threads(const AttributedTrace& input);

// The host's time by kind of slice; slices without a kind by their category, behind the others.
// `backward_ranges`: see BackwardRange, counted as kBackward.
std::vector<TypeRow> list_host_types(const AttributedTrace& input, const TimeSelection& selection,
                                     const std::vector<Interval>& backward_ranges);

// The device's time by kind: the kinds of the first device met, then those only others have.
std::vector<TypeRow> list_device_types(const AttributedTrace& input);

// Communication and computation. A host range communicates if it is a communication range or a
// collective operator; a kernel if it is a collective or was launched anywhere below such a range.
// A kernel below such a range that is not a collective itself also counts as computation, unless
// the range launched it directly.
CommunicationTotals add_up_communication(const AttributedTrace& input);

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
// steps, the first row represents the whole trace.
std::vector<PhaseTotals> list_phases(const AttributedTrace& input, const std::vector<Step>& steps,
                                     const std::vector<StepLaunches>& launches,
                                     bool steps_cover_all_threads,
                                     const std::vector<BackwardRange>& backward_ranges,
                                     std::int64_t total_ns);

// Every operator by name, nested ones too, with its phases (the ranges directly below it that are
// not operators) and the device work that it and they launched themselves. One group for all
// threads, or one per thread that has operators. `flops_of_nodes`: per node, or empty when unknown.
std::vector<ThreadGroup<OperatorRow>> list_operators(
    const AttributedTrace& input, const std::vector<std::uint64_t>& flops_of_nodes,
    bool separate_threads);

// Every kernel by its full name, including orphans and what a thread launched outside all ranges.
std::vector<KernelRow> list_kernels(const AttributedTrace& input);

// Ranges of the framework's native code and of the user's script that move or set memory, as far as
// their names say so.
std::vector<UserRangeRow> list_memory_ranges(const AttributedTrace& input);

// All other ranges of the user's script.
std::vector<ThreadGroup<UserRangeRow>> list_user_ranges(const AttributedTrace& input,
                                                        bool separate_threads);

}  // namespace strobe::analysis
