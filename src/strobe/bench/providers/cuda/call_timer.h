#pragma once

#include <string>
#include <vector>

#include "strobe/bench/providers/cuda/call_kernels.h"
#include "strobe/bench/providers/cuda/device_clock.h"
#include "strobe/bench/providers/provider.h"

// Times one call of a generated program or of a vendor's library.
namespace strobe::bench {

class TimedCall {
 public:
  virtual ~TimedCall() = default;

  // Queues one call on the device's stream, on that set of buffers, and returns at once.
  virtual Result<void> enqueue(std::size_t set) = 0;

  // Sets of buffers that calls may alternate between: everything that a call reads and writes.
  virtual double set_bytes() const = 0;
  virtual Result<void> make_sets(std::size_t count) = 0;  // filled; set 0 always exists
  // Proves that the first `count` sets are used: poison their outputs, and count the sets whose
  // outputs changed.
  virtual Result<void> poison_sets(std::size_t count) = 0;
  virtual Result<std::size_t> count_written_sets(std::size_t count) = 0;
};

// Times one call in every mode, in a given state of the cache.
class CallTimer {
 public:
  static constexpr int kLeastGraphCalls = 20;

  CallTimer(DeviceClock& clock, TimedCall& call, FlushKind flush)
      : clock_(clock), call_(call), flush_(flush) {}

  Result<SampleBlock> sample(const SampleRequest& request);
  // One call between the marks of a recorder, see PreparedCell::run_counted.
  Result<void> run_counted();
  std::vector<std::string> notes() const;
  // The runtime and driver calls of one call, from CUPTI's records; waiting for the call is not
  // included. kMachineLacks without CUPTI.
  Result<std::vector<ApiCall>> record_api_calls();
  // With their durations in mode activity; empty otherwise.
  std::vector<KernelLaunch> recorded_kernels() const { return kernel_times_.medians(); }

  // The number of sets of that size that cover twice the L2 cache.
  static std::size_t sets_to_cover(double set_bytes, double l2_bytes);
  // The number of places in which a call of that size is timed. Buffer placement changes a call of
  // 5 us by up to 8 % (H200), and a given placement always gives the same time, so the median of
  // several is used.
  static std::size_t places_for(double set_bytes);

 private:
  Result<void> prime();
  Result<void> use_sets();
  Result<void> use_places();
  Result<void> before(FlushKind kind);
  Result<void> enqueue_next();
  Result<SampleBlock> sample_device(const SampleRequest& request);
  Result<SampleBlock> sample_call(const SampleRequest& request);
  Result<SampleBlock> sample_graph(const SampleRequest& request);
  Result<SampleBlock> sample_activity(const SampleRequest& request);
  Result<void> make_graph();
  Result<DeviceClock::Block> measure_one(bool hold);
  Result<DeviceClock::Block> replay(int repetitions, bool hold);

  DeviceClock& clock_;
  TimedCall& call_;
  FlushKind flush_;
  bool is_primed_ = false;
  std::size_t sets_ = 1;    // that cover the cache
  std::size_t places_ = 1;  // sets that calls with a flush before them alternate between
  std::size_t next_set_ = 0;
  OwnedGraphExec graph_;
  int graph_calls_ = 0;
  double replay_ms_ = 0;
  bool can_hold_graph_ = true;
  int timed_out_before_ = 0;
  std::string graph_note_;
  std::vector<double> enqueue_us_;
  KernelTimes kernel_times_;
};

}  // namespace strobe::bench
