#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "strobe/analysis/launches/attribution.h"
#include "strobe/analysis/launches/op_tree.h"
#include "strobe/analysis/steps/step_breakdown.h"
#include "strobe/analysis/steps/steps.h"
#include "strobe/analysis/tables/summary.h"
#include "strobe/base/interval.h"

// The tables that a summary consists of, each from an attributed trace.
namespace strobe::analysis {

// How busy every device was, in the order in which the walk meets them. `within`: only this time
// counts; nothing: all of it.
std::vector<DeviceRow> list_devices(const AttributedTrace& input,
                                    const std::optional<IntervalSet>& within = {});

// How busy every host thread was, in the order of the trees; idle threads are left out. `launched`
// has what starts in the time `within`, `whole` everything; nothing: they are the same.
std::vector<HostThreadRow> list_threads(const AttributedTrace& launched,
                                        const AttributedTrace& whole,
                                        const std::optional<IntervalSet>& within = {});

// All flags that slices of the trace have.
std::uint8_t flags_in(const Trace& trace);

// The start of the earliest slice of all, the profiler's own too; 0 without any.
std::int64_t earliest_start_ns(const Trace& trace);

// The time of the ranges in the trees and of the runtime calls by kind, in the order in which the
// walk meets the kinds. `backward_ranges` count as kBackward beside them. `within` as above.
std::vector<TypeRow> list_range_types(const AttributedTrace& input,
                                      const std::vector<Interval>& backward_ranges = {},
                                      const std::optional<IntervalSet>& within = {});

// The time of the device work by kind: the kinds of the first device met, then those only others
// have. `within` as above.
std::vector<TypeRow> list_work_types(const AttributedTrace& input,
                                     const std::optional<IntervalSet>& within = {});

// Both, and behind them the kinds of all other slices: every slice counts in one row. Slices of
// unknown kind are listed by their category, and on the side of their track. The slices are those
// that start in the selection, or all; of their time only what lies in `span` counts.
struct TypeTables {
  std::vector<TypeRow> host;
  std::vector<TypeRow> device;
};
TypeTables list_types(const AttributedTrace& input, const TimeSelection& selection,
                      const IntervalSet& span);

// Kernels that communicate and kernels that compute, with or without a known launch; and the
// collectives of the host, the outermost of each thread. `within` as above.
CommunicationTotals add_up_communication(const AttributedTrace& whole,
                                         const std::optional<IntervalSet>& within = {});

// In the order of their rows.
inline constexpr std::array kModelPhases = {SliceKind::kDataLoader, SliceKind::kForward,
                                            SliceKind::kBackward, SliceKind::kOptimizer};

// Steps (or the whole trace) first, then data loading, forward, backward and optimizer if present.
// The outermost phase on every path down from a thread counts, phases below it do not; if there are
// steps, only phases that start in one, with their time and launches in steps. In traces without a
// backward range, backward is one call per step and thread: the outermost operators of the autograd
// engine. The device time of the steps is that of all launches in their time, by any thread of
// their process. `base`: the time of the steps, or of the host. `launches`: of each step, by all
// threads if `cover_all_threads`.
struct ModelPhases {
  std::vector<PhaseTotals> phases;
  std::int64_t outside_ns = 0;  // of the base: in none of the four phases
};
ModelPhases list_phases(const AttributedTrace& input, const std::vector<Step>& steps,
                        const std::vector<StepLaunches>& launches, bool cover_all_threads,
                        const IntervalSet& base);

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
