#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/interval.h"
#include "strobe/trace/trace_builder.h"
#include "tests/support/fault_conditions.h"
#include "tests/support/fault_dice.h"

namespace strobe {

struct Traffic {
  Interval interval;
  std::int64_t bytes = 0;
};

// What really happened on one rank, for the samplers to look at.
struct Happenings {
  Interval extent;
  std::vector<Interval> device_busy;
  std::vector<Interval> asleep;  // of the process: neither on a core nor waiting for one
  std::vector<Interval> queued;  // waiting for a core
  std::vector<Interval> reading;
  std::vector<Traffic> copies;
  std::vector<Traffic> collectives;
};

// Equal runs of one program differ by this much, from first to last cycle.
struct RunNoise {
  explicit RunNoise(Dice dice);

  double host = 1;  // all of the host alike
  double copies = 1;
};

// One rank's host thread and the two streams of its device, as time passes there: the host runs
// ahead, the streams follow in order, a synchronisation waits for them. Everything is written into
// a trace on the way.
class Machine {
 public:
  enum class Stream : std::uint8_t { kMain, kSide };
  struct Work {
    std::string_view name;
    SliceKind kind = SliceKind::kKernel;
    double us = 0;
    std::string args;
    std::uint8_t flags = kNoFlags;
  };

  Machine(const Conditions& conditions, const RunNoise& noise, bool shows_scheduling, Dice dice);

  std::int64_t now_ns() const { return now_ns_; }
  // The host's speed changes from cycle to cycle; `slowdown` comes on top.
  void begin_cycle(double slowdown);
  // Device work that starts earlier is not recorded.
  void record_device_from(std::int64_t time_ns) { recorded_from_ns_ = time_ns; }

  // The host thread. Ranges nest: one that was opened is closed.
  SliceId open(std::string_view name, SliceKind kind, std::string_view category);
  void close(SliceId range);
  void compute(double us);
  void sleep(double us);
  void read_file(double us);
  void profile(double us);  // the profiler's own work
  void call(std::string_view name, double us);
  void synchronize(std::string_view name);

  // A call that starts work on a stream.
  void launch(std::string_view call_name, double call_us, Stream stream, const Work& work);
  void copy(std::string_view work_name, std::int64_t bytes, double us);

  // A collective occupies both streams from when this rank reaches it until all have and the data
  // has been moved.
  std::int64_t reach_collective();
  void finish_collective(std::string_view name, std::int64_t all_there_ns, std::int64_t bytes,
                         double us);

  const Happenings& happenings() const { return happenings_; }
  std::shared_ptr<const Trace> take_trace(std::int64_t base_time_ns);

 private:
  struct Lane {
    TrackId track;
    std::int64_t free_ns = 0;
  };
  Lane& lane(Stream stream) { return stream == Stream::kMain ? main_ : side_; }
  SliceId add(std::string_view name, Interval interval, TrackId track, SliceKind kind,
              std::string_view category);
  Interval run(Lane& lane, const Work& work, std::int64_t not_before_ns);
  void wait_for_core(double computed_us);

  Conditions conditions_;
  RunNoise noise_;
  bool shows_scheduling_;
  Dice dice_;
  Drift drift_;
  TraceBuilder builder_;
  ArgsWriter args_;
  TrackId thread_;
  TrackId scheduler_;
  Lane main_;
  Lane side_;
  Happenings happenings_;
  std::int64_t now_ns_ = 0;
  std::int64_t recorded_from_ns_ = 0;
  std::int64_t on_core_since_ns_ = 0;
  std::int64_t reached_ns_ = 0;
  double host_factor_ = 1;  // of this cycle
  double owed_wait_us_ = 0;
  double next_wait_us_ = 0;
  std::uint32_t correlation_ = 0;
};

}  // namespace strobe
