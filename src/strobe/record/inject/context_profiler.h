#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "strobe/record/inject/cuda_api.h"
#include "strobe/record/inject/host_metrics.h"
#include "strobe/record/inject/launch_filter.h"
#include "strobe/record/inject/recording_writer.h"
#include "strobe/record/inject/settings.h"

namespace strobe::record {

// The counters of one context. Between start() and flush() the hardware measures each launch and
// knows only its number; add() says what was launched, in the same order, and flush() joins the two
// lists. If their lengths differ, the batch is lost: a value for the wrong kernel is worse than
// none.
//
// The caller holds the mutex; launches are made under it, so that two threads cannot swap their
// places in the order.
class ContextProfiler {
 public:
  struct Parts {
    const CuptiApi* cupti;
    const DriverApi* driver;
    const Settings* settings;
    RecordingWriter* writer;
    const std::atomic<std::uint32_t>* window;  // its number, from 1; 0 before the first
  };
  struct Launch {
    wire::LaunchRecord record;
    std::string name;
    bool is_wanted = true;  // if not, it is measured only because the counters keep running
  };

  ContextProfiler(const Parts& parts, CUcontext context) noexcept;
  ContextProfiler(const ContextProfiler&) = delete;
  ContextProfiler& operator=(const ContextProfiler&) = delete;

  std::recursive_timed_mutex& mutex() noexcept { return mutex_; }
  CUcontext context() const noexcept { return context_; }
  std::uint32_t device() const noexcept { return device_; }
  bool is_new() const noexcept { return state_ == State::kNew; }
  bool is_started() const noexcept { return state_ == State::kStarted; }
  // A launch during whose call start() was made seems not to be measured: start earlier.
  bool must_start_early() const noexcept { return must_start_early_; }

  // Sets everything up the first time. False: this context cannot be measured; the reason is noted.
  bool start() noexcept;
  void add(Launch launch) noexcept;
  bool is_full() const noexcept { return launches_.size() >= parts_.settings->batch; }
  // Stops, reads out and writes. start() may be called again.
  void flush() noexcept;
  // Reads out the current values, so that the next start() finds the counters stopped. Does nothing
  // if every launch is replayed, which stops them each time.
  void restart() noexcept;
  // Call it for every launch, in order: whether to restart the counters before it.
  bool stands_apart(LaunchKind next) noexcept { return isolates_ && isolation_.is_due(next); }
  // Discards launches that were added since the counters were started.
  void leave_out_pending() noexcept;
  // Reads out, and releases the hardware until the next window, so that the program runs
  // undisturbed in between.
  void end_window() noexcept;
  // Like flush(), before a graph is launched, which these counters cannot measure.
  void flush_for_graph() noexcept;
  // The context is destroyed: flush and release the hardware.
  void close() noexcept;

 private:
  enum class State { kNew, kReady, kStarted, kFailed };
  struct FreeMemory {
    void operator()(std::uint8_t* bytes) const noexcept { std::free(bytes); }
  };

  template <class Call, class Params>
  CUptiResult make(const char* name, Call call, Params& params) const noexcept;
  bool set_up() noexcept;
  bool enable() noexcept;
  void disable() noexcept;
  std::vector<std::uint8_t> availability() const noexcept;
  bool open_metrics() noexcept;
  bool check_metrics() noexcept;
  CallFailure make_counters() noexcept;
  CallFailure arm() noexcept;
  CallFailure stop() noexcept;
  CallFailure pair_up() noexcept;
  std::vector<std::size_t> range_order(std::size_t ranges) const noexcept;
  void write_launch(const Launch& launch, std::size_t range) noexcept;
  void learn_from(const Launch& launch) noexcept;
  void lose_batch(wire::Obstacle what, const std::string& text, int result) noexcept;
  bool fail(const CallFailure& failure, wire::Obstacle otherwise) noexcept;
  std::string why_unsupported() const noexcept;
  std::span<const std::uint8_t> counters() const noexcept {
    return {counters_.get(), counter_bytes_};
  }

  Parts parts_;
  CUcontext context_;
  std::recursive_timed_mutex mutex_;
  State state_ = State::kNew;
  std::uint32_t device_ = 0;
  std::string chip_;
  std::unique_ptr<HostMetrics> metrics_;
  std::size_t first_metric_ = 0;  // index of this window's list among all metrics
  bool is_between_windows_ = false;
  CUpti_RangeProfiler_Object* profiler_ = nullptr;
  std::unique_ptr<std::uint8_t, FreeMemory> counters_;
  std::size_t counter_bytes_ = 0;
  bool is_armed_ = false;
  bool must_start_early_ = false;
  bool must_restart_ = false;  // a batch was inconsistent
  bool uses_user_replay_ = false;
  bool is_after_graph_ = false;
  bool breaks_at_graphs_ = false;
  unsigned failures_ = 0;
  std::vector<Launch> launches_;
  std::vector<double> values_;
  Isolation isolation_;
  bool isolates_;
};

// The meaning of a failed call for the user.
wire::Obstacle obstacle_of(CUptiResult result, wire::Obstacle otherwise) noexcept;

}  // namespace strobe::record
