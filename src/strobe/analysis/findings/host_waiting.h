#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "strobe/analysis/findings/device_time.h"
#include "strobe/analysis/tables/summary.h"
#include "strobe/base/interval.h"
#include "strobe/device/vendor_names.h"
#include "strobe/trace/trace.h"

// Where the threads that launch device work wait for the device, and what that costs.
namespace strobe::analysis {

// The runtime calls of a trace.
struct RuntimeCalls {
  std::vector<SliceId> launches;
  std::vector<SliceId> synchronising;
  std::vector<SliceId> long_copies;                               // of over 100 us
  std::vector<std::pair<std::uint32_t, SliceId>> by_correlation;  // sorted

  void add(const Trace& trace, SliceId slice, device::RuntimeCall purpose);
  void sort();
  SliceId call_of(const Trace& trace, SliceId work) const;  // invalid if unknown
};

// Time in which at least one launching thread waits for the device: in a call that synchronises, or
// in a copy that takes over 100 us while the device works most of that time. A thread that launches
// nothing may wait as long as it likes.
struct HostWaiting {
  std::uint64_t calls = 0;          // of at least 20 us inside steps, or the trace without them
  std::int64_t inside_ns = 0;       // in steps, or the trace without them
  std::int64_t outside_ns = 0;      // outside all steps
  std::int64_t device_idle_ns = 0;  // of inside_ns, while no device worked
  std::string longest;              // name of those that took most of inside_ns
  std::string longest_inside;       // the operator or range around the longest of them
  std::string longest_source;       // its interpreter frame
  std::vector<SliceId> waits;       // by track, then end
};

HostWaiting measure_waiting(const Trace& trace, const Summary& summary, const RuntimeCalls& calls,
                            const IntervalSet& busy, const IntervalSet& whole);

// Gaps that begin while, or right after, the launching thread waits for the device: it has nothing
// queued then. The device stays idle until the thread launches again. Their call is only looked for
// if they hold a twentieth of the whole.
struct QueueDrains {
  std::uint64_t gaps = 0;
  std::int64_t idle_ns = 0;    // inside steps, or the trace without them
  std::int64_t waited_ns = 0;  // in the calls that drained
  std::string call;            // that drained for most of the time
  std::string inside;          // the operator around most of these calls, "" if none
  std::string source;
};

QueueDrains measure_drains(const Trace& trace, const Summary& summary, const RuntimeCalls& calls,
                           const HostWaiting& waiting, const std::vector<DeviceGap>& gaps,
                           std::int64_t whole_ns);

}  // namespace strobe::analysis
