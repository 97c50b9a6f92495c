#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/analysis/launches/time_stat.h"
#include "strobe/base/interval.h"
#include "strobe/device/vendor_names.h"

// Who waits for whom: what the host did while the device was idle, what it called, and how long
// launched work waited. All times are inside the summary's span; `in_steps_ns` is the part inside
// steps. A trace without device work has no idle time.
namespace strobe::analysis {

struct AttributedTrace;

// What the host's launching thread did during idle time of the device. The thread is the one that
// launched the next device work; without a known launch, the one that launches most. While it shows
// nothing, the thread of the script takes its place: it has yet to start the other one.
enum class IdleKind : std::uint8_t {
  kOverhead,     // the profiler itself did something, whatever the thread shows meanwhile
  kRuntimeCall,  // it was in a runtime call
  kDataLoading,  // in data loading
  kOperator,     // in an operator, outside of runtime calls
  kRange,        // in another range of the framework or the script
  kScript,       // in interpreter frames only, or in one of the script that the range contains
  kNothing,      // nothing was recorded on it
  kLaunched,     // the next work had been launched already: the device or a dependency delays it
};
std::string_view word_of(IdleKind kind);  // "runtime_call": for scripts

// Idle time of one cause: one kind, name and operator around it.
struct IdleRow {
  IdleKind kind = IdleKind::kNothing;
  std::string name;    // of what it was in; "" for kNothing and kLaunched
  std::string inside;  // for a call: the innermost operator, or else range, around it; "" if none
  std::string source;  // the interpreter frame around the longest: "train.py(31): step", "" unknown
  TimeStat idle;       // calls: gaps that it took part in; max and min: in one of them
  std::int64_t in_steps_ns = 0;
  Interval longest;  // the longest stretch
};

// Runtime calls of one name. A call inside another one counts in its own row; the time of a name
// counts once where it is nested in itself.
struct RuntimeCallRow {
  std::string name;
  device::RuntimeCall purpose = device::RuntimeCall::kOther;
  TimeStat host;
  std::int64_t median_ns = 0;  // of its calls; of several ranks, the longest median
  std::int64_t in_steps_ns = 0;
  std::int64_t device_idle_ns = 0;  // of the total: while no device worked
  Interval longest;                 // the whole call, also where it leaves the span
  std::string longest_inside;       // the innermost operator, or else range, around the longest
  std::string longest_source;       // the interpreter frame around the longest
};

// One stream of a device. The delay of device work is the time from the end of the call that
// launched it to its own start, at least 0.
struct StreamRow {
  std::int32_t device = 0;
  std::string stream;
  std::uint64_t works = 0;  // kernels, copies and memsets
  std::int64_t busy_ns = 0;
  std::uint64_t with_launch = 0;  // works whose call is known: the next columns are about these
  std::int64_t median_delay_ns = 0;
  std::int64_t p90_delay_ns = 0;
  std::int64_t max_delay_ns = 0;
  std::int64_t max_delay_at_ns = 0;  // start of the work with the longest delay
  std::uint64_t longest_queue = 0;   // launched, not started, at one time
  double mean_queue = 0;             // over the span
};

struct Waits {
  std::int64_t idle_ns = 0;  // no device of this trace works
  std::int64_t idle_in_steps_ns = 0;
  std::vector<IdleRow> idle;          // most time first; their times add up to idle_ns
  std::vector<RuntimeCallRow> calls;  // most time first
  std::vector<StreamRow> streams;     // by device, then stream

  // For rules: idle time whose length the pace of launching sets, inside steps (or the span without
  // them). A gap counts if
  // - the call that launched the next work ended in the gap, and the work started at most 20 us
  //   after that, or during the call;
  // - for more than half of it the thread was not blocked, that is, not held up by the profiler,
  //   and neither in data loading nor in a runtime call of more than 100 us that is no launch;
  // - it is shorter than 2 ms, and not over 20 times as long as the median of the gaps above: a
  //   single long gap is a stall of the host, not its pace.
  std::int64_t paced_idle_ns = 0;  // without the time in which the thread was blocked
  std::uint64_t paced_gaps = 0;
};

// `span`: what to look at, sorted and disjoint; `steps`: the steps' time inside it.
Waits measure_waits(const AttributedTrace& input, const IntervalSet& span,
                    const IntervalSet& steps);

// Rows of one cause or name become one; the longest of all ranks is kept. Streams stay apart: where
// two ranks have a device and stream of the same name there are two rows, in the order of the
// ranks.
Waits merge_waits(const std::vector<const Waits*>& ranks);

// Launched and not yet started work of one device over time, for a line on the timeline.
struct QueuePoint {
  std::int64_t time_ns = 0;
  std::uint32_t waiting = 0;
};
struct QueueLine {
  std::int32_t device = 0;
  std::vector<QueuePoint> points;  // by time; the value holds until the next point
};
std::vector<QueueLine> list_queues(const AttributedTrace& input);

}  // namespace strobe::analysis
