#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/analysis/cycles/found_steps.h"
#include "strobe/analysis/cycles/warm_up.h"
#include "strobe/analysis/launches/op_tree.h"
#include "strobe/analysis/launches/time_stat.h"
#include "strobe/analysis/steps/steps.h"
#include "strobe/analysis/tables/samples.h"
#include "strobe/analysis/waits/waits.h"
#include "strobe/base/interval.h"
#include "strobe/trace/slice_kind.h"

namespace strobe {
class Trace;
}

// "Where did the time go": every summary table as numbers. Rows are in the order in which the walk
// over the trees first reached them; that order decides between equal sort keys. Rows are sorted
// and cut where they are shown.
namespace strobe::analysis {

struct SummaryOptions {
  // Only these steps: what ran in their time, and for operators, ranges and kernels what they
  // launched.
  std::optional<StepSelection> steps;
  bool separate_threads = false;                // operator and user tables grouped by thread
  std::optional<bool> steps_cover_all_threads;  // overrides the trace's trait
  bool with_flops = true;                       // needs arguments to be loaded
  TreeRules rules = TreeRules::kStrobe;
};

// What a device does inside the summary's span, with or without a known launch. kCompatible: only
// what was launched inside of host ranges.
struct DeviceRow {
  std::int32_t device = 0;
  std::int64_t kernel_busy_ns = 0;  // union of kernels over all streams
  std::int64_t busy_ns = 0;         // union of kernels, copies and memsets
  std::uint64_t kernels = 0;
};

// One kind of slice, overlap removed. Every slice is in one row of the host's or the device's list.
// kCompatible: only ranges, calls, work and slices of unknown kind are listed.
struct TypeRow {
  SliceKind kind = SliceKind::kOther;
  std::string label;  // category text, for kOther only; "" if it has none
  std::uint64_t calls = 0;
  std::int64_t busy_ns = 0;
};

// A step or a model phase. The host's total is the union over all threads, inside steps if there
// are any; so is the device time launched in a phase. The longest and the shortest are those of the
// calls. kCompatible: totals are sums.
struct PhaseTotals {
  SliceKind kind = SliceKind::kStep;
  TimeStat host;
  TimeStat kernels;  // kernel time launched per call
  TimeStat device;   // kernels, copies and memsets launched per call
};

struct DeviceWorkRow {  // kernels, copies and memsets of one name below an operator or phase
  std::string name;
  SliceKind kind = SliceKind::kKernel;
  TimeStat device;
};

struct OperatorPhaseRow {
  std::string name;
  SliceKind kind = SliceKind::kOperatorPhase;
  TimeStat host;
  TimeStat device;
  std::vector<DeviceWorkRow> work;  // launched directly from this phase
};

// The total of a name counts a nanosecond once, however often the name is nested in itself; calls,
// the longest and the shortest are over all calls. Self time is the time in which the row is the
// innermost open range of its thread and no runtime call is open.
struct OperatorRow {
  std::string name;
  TimeStat host;
  TimeStat device;  // kernels, copies and memsets launched in the call, at any depth
  std::int64_t self_host_ns = 0;
  std::int64_t self_device_ns = 0;  // launched directly or from phases that are not operators
  std::uint64_t flops = 0;          // 0: unknown
  std::vector<OperatorPhaseRow> phases;
  std::vector<DeviceWorkRow> work;  // launched directly from the operator
};

struct UserRangeRow {
  std::string name;
  TimeStat host;
  TimeStat device;
  std::int64_t self_host_ns = 0;
};

struct HostThreadRow {  // or an asynchronous track
  std::string process;  // as written: "589"
  std::string thread;
  std::string name;  // "Renderer / main", "" if the trace gives none
  bool is_async = false;
  std::uint64_t ranges = 0;  // that start in the span
  std::int64_t busy_ns = 0;  // inside the span: in at least one range or runtime call
  // The same with the time after the span of ranges and calls that start in it. It holds all host
  // time of the tables of operators, ranges and calls.
  std::int64_t host_time_ns = 0;
};

template <class Row>
struct ThreadGroup {
  std::string thread;  // thread id, or "" for all threads merged
  std::vector<Row> rows;
};

// Who launched a kernel: the innermost operator around the launch, and the outermost.
struct KernelLauncher {
  std::string inner;  // "" outside of operators, or if no launch was recorded
  std::string outer;  // "" if it is the inner one
  std::int64_t device_ns = 0;
};

struct KernelRow {
  std::string name;  // full
  TimeStat device;
  bool communicates = false;
  std::vector<KernelLauncher> launchers;  // most time first; their times add up to device.total_ns

  // The one that launched most of its time; "" if that was outside of operators.
  std::string top_operator() const { return launchers.empty() ? "" : launchers.front().inner; }
};

// Under TreeRules::kStrobe: kernels on the devices of one rank, overlap removed. Exposed is
// communication_ns - overlap_ns. What the host does for communication is in host_ns alone.
struct CommunicationTotals {
  std::int64_t communication_ns = 0;  // kCompatible: host and device, merged
  std::int64_t computation_ns = 0;
  std::int64_t overlap_ns = 0;
  std::int64_t host_ns = 0;  // merged host communication alone, and its distinct ranges
  std::uint64_t host_calls = 0;
  std::int64_t device_ns = 0;
  std::uint64_t device_calls = 0;
};

struct MemoryRow {
  std::string name;
  std::uint64_t allocations = 0;
  std::uint64_t frees = 0;
  std::int64_t allocated_bytes = 0;
  std::int64_t freed_bytes = 0;  // positive
  std::int64_t increased_bytes() const { return allocated_bytes - freed_bytes; }
};

struct MemoryPlace {
  std::string place;  // as the trace writes it: "Place(gpu:0)", "cpu"
  std::int64_t peak_allocated_bytes = 0;
  std::int64_t peak_reserved_bytes = 0;
  std::vector<MemoryRow> allocated;
  std::vector<MemoryRow> reserved;
};

struct PlaceParts {
  std::string_view text;               // "gpu:0" of "Place(gpu:0)"; other places as they are
  std::optional<std::int32_t> device;  // 0 of "gpu:0"
};
PlaceParts parts_of_place(std::string_view place);

struct Summary {
  std::int64_t total_ns =
      0;  // T: host time inside steps, or the extent of the host when there are none
  bool has_steps = false;             // marked, or found
  std::optional<FoundCycles> cycles;  // set if the steps below were found, not marked
  Interval extent;
  // The start of the earliest slice of the trace, of whatever kind and chosen or not: times at
  // which something happened count from here, as they do on a timeline. No meaning for several
  // ranks.
  std::int64_t origin_ns = 0;
  // What shares of time are shares of: the length of the extent, or of the selected steps' union.
  std::int64_t span_ns = 0;
  std::uint64_t slices = 0;  // of the whole trace, or those that belong to the selected steps
  std::vector<Interval> selected_steps;  // all steps when nothing was selected
  std::vector<StepRow> steps;            // without steps one row, nameless: the whole trace
  WarmUp warm_up;  // of these steps; none without steps, under kCompatible and for several ranks
  std::vector<DeviceRow> devices;
  // Of all device work that the tables of operators, ranges and kernels are made from, streams
  // added up: what the chosen steps launched and what runs in them without a known launch, or all
  // work.
  std::int64_t device_time_ns = 0;
  std::vector<HostThreadRow> threads;
  std::vector<TypeRow> host_types;
  std::vector<TypeRow> device_types;
  std::vector<PhaseTotals> phases;     // kStep first, then those present of the four model phases
  std::int64_t outside_phases_ns = 0;  // of total_ns: in none of the four
  bool has_model = false;              // at least one phase besides steps
  CommunicationTotals communication;
  bool has_communication = false;
  std::vector<ThreadGroup<OperatorRow>> operators;
  std::vector<KernelRow> kernels;
  std::vector<UserRangeRow>
      memory_ranges;  // copies and memsets as the framework annotates them on the host
  std::vector<ThreadGroup<UserRangeRow>> user_ranges;
  std::vector<MemoryPlace> memory;
  std::uint64_t orphan_device_slices = 0;  // device work whose launch was not recorded
  Waits waits;                             // empty under TreeRules::kCompatible
  // Of the whole trace, selected or not; empty under kCompatible and for several ranks.
  SampleTable samples;
  // The same time without the start-up, for averages and findings: without kinds of slices, samples
  // and FLOPs. Nothing under kCompatible, or if there is no start-up that matters.
  std::shared_ptr<const Summary> steady;
};

Summary summarize(const Trace& trace, const SummaryOptions& options = {});

// The steps after the warm-up; all rows without any.
std::span<const StepRow> steady_steps(const Summary& summary);

// About how much memory that takes.
std::size_t bytes_to_summarize(const Trace& trace);

// How busy the devices were in the summary's span, summed over devices.
struct DeviceUse {
  std::int64_t busy_ns = 0;
  std::int64_t span_ns = 0;
  double share() const {
    return span_ns == 0 ? 0.0 : static_cast<double>(busy_ns) / static_cast<double>(span_ns);
  }
};
DeviceUse device_use(const Summary& summary);

// Adds up the summaries of several ranks: rows of one name become one, times add.
Summary merge_ranks(const std::vector<Summary>& ranks);

}  // namespace strobe::analysis
