#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/analysis/findings/device_time.h"
#include "strobe/analysis/findings/finding.h"
#include "strobe/analysis/findings/host_moments.h"
#include "strobe/analysis/findings/host_waiting.h"
#include "strobe/analysis/findings/long_collectives.h"
#include "strobe/analysis/findings/stalled_places.h"
#include "strobe/analysis/tables/summary.h"
#include "strobe/base/interval.h"
#include "strobe/device/vendor_names.h"
#include "strobe/trace/trace.h"

namespace strobe::analysis {

// Launching calls.
struct LaunchCalls {
  TimeStat time;
  std::int64_t median_ns = 0;
  std::string longest;        // name of those that took most of it
  std::int64_t apart_ns = 0;  // median from one launch of a thread to its next, 0: unknown
  std::int64_t late_ns = 0;   // from launch to start, on the stream with most launches: a tenth of
                              // its works starts this late, or later
  std::string stream;         // that stream
  bool use_graphs = false;    // one call launches a whole graph
  // Kernels whose launch call is known, and of them those that ran inside it, so that it waited for
  // them. Only counted as long as nearly all of them may.
  std::uint64_t known_kernels = 0;
  std::uint64_t kernels_inside = 0;
};

// Where the host is in a cause: the operator or range around it and its interpreter frame, as far
// as both are known.
struct IdlePlace {
  std::string inside;
  std::string source;
};

// Idle time of the device with one cause: rows of one kind and name together.
struct IdleCause {
  IdleKind kind = IdleKind::kNothing;
  std::string name;
  device::RuntimeCall purpose = device::RuntimeCall::kOther;  // of a runtime call
  TimeStat gaps;                                              // in the whole span
  std::int64_t inside_ns = 0;          // inside steps, or the trace without them
  IdlePlace main_place;                // of the largest row
  std::int64_t at_main_ns = 0;         // of inside_ns
  Interval longest;                    // the longest stretch
  std::int64_t longest_inside_ns = 0;  // of it, inside as above
  IdlePlace longest_place;

  std::int64_t outside_ns() const { return gaps.total_ns - inside_ns; }
};

// Copies of one direction.
struct CopyTimes {
  std::int64_t device_ns = 0;
  std::int64_t pinned_ns = 0;  // of it, from or to pinned memory of the host
  std::int64_t call_ns = 0;    // the calls that made them
};

// What the rules look at, gathered once. Shares are of the steps, or of the trace without them.
struct Evidence {
  Evidence(const Trace& the_trace, const Summary& its_summary)
      : trace(the_trace), summary(its_summary), device(the_trace.traits().device_label) {}

  const Trace& trace;
  const Summary& summary;
  std::string device;  // "GPU"
  FindingContext context;
  bool is_steady = false;         // the summary leaves out a start-up
  bool leaves_steps_out = false;  // and warm-up steps with it

  IntervalSet whole;             // the steps, or the trace without them; only up to the last device
                                 // work where the file is cut off
  std::int64_t labelled_ns = 0;  // all steps together
  std::int64_t label_ns[kStepLabels] = {};
  DeviceUse use;     // of the whole span
  TimeStat kernels;  // those that compute: in a collective a kernel also waits for other ranks
  std::int64_t median_kernel_ns = 0;
  TimeStat tiny_kernels;  // of them, below kTinyKernelNs
  CopyTimes copies[4];    // by device::CopyDirection
  LongCollectives long_collectives;
  LaunchCalls launches;
  DeviceTime device_time;
  HostWaiting waiting;
  QueueDrains drains;
  HeldMoments paced_range;             // the range around most gaps that end with a prompt launch
  std::int64_t idle_ns = 0;            // inside steps, or the trace without them
  std::vector<IdleCause> idle_causes;  // most time inside first
  StalledPlaces stalled;               // only looked for where long gaps hold most idle time
  std::int64_t outlasting_ns = 0;      // from the end of the last step to the end of the last work
                                       // that a step launched
  bool has_operators = false;
  bool has_frames = false;   // of the interpreter
  bool is_compiled = false;  // regions of compiled code were recorded
  std::uint64_t device_slices = 0;
  std::int64_t last_device_end_ns = 0;  // if there are any

  double share_of(StepLabel label) const;          // of labelled_ns
  double share_of_ns(std::int64_t part_ns) const;  // of labelled_ns, at most 1
  std::int64_t label_sum_ns(StepLabel label) const {
    return label_ns[static_cast<std::size_t>(label)];
  }
  // "step", or "cycle" where the trace marks no steps and cycles were found.
  std::string_view step_word() const;
  // "the step", "the steps", "the cycles"
  std::string steps_text() const;
  // "the 3 steps", "the 3 steady steps", or "the trace": what shares are shares of.
  std::string whole_text() const;
  // "the span", or "the span after the start-up"
  std::string_view span_text() const;
};

inline constexpr std::int64_t kTinyKernelNs = 5'000;

Evidence gather_evidence(const Trace& trace, const Summary& summary,
                         const FindingContext& context = {});

enum class IdlePart : std::uint8_t { kInSteps, kOutsideSteps };

// The rows of the waits as causes, most time in that part first; IdleCause::inside_ns is the time
// in it. Without steps, the whole trace counts as one. A range that is only the step itself tells
// nothing.
std::vector<IdleCause> list_idle_causes(const Summary& summary, IdlePart part = IdlePart::kInSteps);

}  // namespace strobe::analysis
