#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/interval.h"
#include "strobe/trace/trace_builder.h"

namespace strobe {

// The conditions of one rank of a run. The defaults are a healthy machine that runs the program as
// written; clocks and speeds are shares of the healthy ones.
struct Conditions {
  // The device and its surroundings.
  double core_clock = 1;
  bool clock_wanders = false;  // as under a power or heat limit; a locked clock is constant
  std::uint32_t throttle_reasons = 0;
  double heat_c = 0;  // above the usual
  double memory_clock = 1;
  double kernel_slowdown = 1;      // that no counter shows
  double foreign_use = 0;          // share of the time in which another process computes there
  double foreign_bytes_per_s = 0;  // another process's traffic over the bus
  double bus_speed = 1;
  double link_speed = 1;
  double memory_used_percent = 0;  // above the usual

  // The host.
  double host_slowdown = 1;  // that no counter shows
  double cpu_clock = 1;
  double core_wait = 0;          // share of the time in which the process waits for a core
  bool all_cores_taken = false;  // on all cores, not only the one it runs on
  double quota_stop = 0;         // share of the time in which a quota stops the process
  double paging = 0;             // share of the time in which it waits for its own memory
  double read_slowdown = 1;
  double input_delay = 0;  // share of the usual cycle; the process sleeps meanwhile

  // The program.
  double layers = 1;
  double blocks = 1;               // of each launch, and the work of each kernel with them
  double host_code = 0;            // between operators, share of the usual host time
  int added_synchronizations = 0;  // per cycle
  int added_allocations = 0;       // per cycle; as many frees
  enum class OtherKernels : std::uint8_t { kNone, kOneSmall, kSomeGemms, kOtherType };
  OtherKernels other_kernels = OtherKernels::kNone;

  // The recording.
  int cold_cycles = 0;
  double cold_slowdown = 1;      // of the host in those
  double lost_cycles = 0;        // share of cycles whose device work is half lost
  double profiler_overhead = 0;  // share of the usual cycle
};

// Pseudo-random numbers that are the same everywhere; the distributions of <random> differ between
// libraries.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {  // SplitMix64
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(next() >> 11) * 0x1p-53;
  }
  int between(int low, int high) {  // both included
    return low + static_cast<int>(next() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool chance(double probability) { return uniform(0, 1) < probability; }
  // Nearly normal, never beyond 3 deviations: four uniform numbers, scaled to deviation 1.
  double normal() {
    double sum = 0;
    for (int i = 0; i < 4; ++i) sum += uniform(-0.5, 0.5);
    return sum * 1.7320508075688772;
  }
  Dice fork() { return Dice(next()); }

 private:
  std::uint64_t state_;
};

// The slowly varying speed of a machine: each value correlates with the previous one.
class Drift {
 public:
  Drift(double deviation, double resemblance, Dice dice)
      : dice_(dice), deviation_(deviation), resemblance_(resemblance) {
    value_ = deviation_ * dice_.normal();
  }
  double next() {
    const double news = deviation_ * std::sqrt(1 - resemblance_ * resemblance_);
    value_ = resemblance_ * value_ + news * dice_.normal();
    return value_;
  }

 private:
  Dice dice_;
  double deviation_;
  double resemblance_;
  double value_;
};

struct Traffic {
  Interval interval;
  std::int64_t bytes = 0;
};

// What really happened on one rank, as input of the samplers.
struct Happenings {
  Interval extent;
  std::vector<Interval> device_busy;
  std::vector<Interval> asleep;  // of the process: neither on a core nor waiting for one
  std::vector<Interval> queued;  // waiting for a core
  std::vector<Interval> reading;
  std::vector<Interval> paging;  // of the sleep: until a page is read from the disk
  std::vector<Traffic> copies;
  std::vector<Traffic> collectives;
};

// Equal runs of one program differ by this much, from first to last cycle.
struct RunNoise {
  explicit RunNoise(Dice dice);

  double host = 1;  // of the whole host
  double copies = 1;
};

// One rank's host thread and the two streams of its device over time: the host runs ahead, the
// streams follow in order, a synchronisation waits for them. Everything is recorded into a trace.
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
  // The host's speed changes from cycle to cycle; `slowdown` is added.
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

  // A collective occupies both streams from when this rank reaches it until all ranks have and the
  // data has been moved.
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
  void wait_for_page(double computed_us);

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
  double owed_paging_us_ = 0;
  std::uint32_t correlation_ = 0;
};

}  // namespace strobe
