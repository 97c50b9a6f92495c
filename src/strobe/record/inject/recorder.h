#pragma once

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "strobe/record/inject/context_profiler.h"
#include "strobe/record/inject/cuda_api.h"
#include "strobe/record/inject/launch_call.h"
#include "strobe/record/inject/launch_filter.h"
#include "strobe/record/inject/recording_writer.h"
#include "strobe/record/inject/settings.h"

namespace strobe::record {

// Follows the GPU calls of the process: it decides when the counters of a context start and stop,
// and joins each launch with its settings.
class Recorder {
 public:
  // False if no recording was requested, or it cannot be made.
  bool open(CUpti_CallbackFunc listener, void (*see_to_the_end)()) noexcept;
  void launch_begins(CUpti_CallbackId call, const CUpti_CallbackData& data) noexcept;
  void launch_ends(CUpti_CallbackId call, const CUpti_CallbackData& data) noexcept;
  void window_begins(const CUpti_CallbackData& data) noexcept;
  void window_ends() noexcept;
  void context_ends(CUcontext context) noexcept;
  void library_complains(const CUpti_StateData& state) noexcept;
  void process_ends() noexcept;
  // A fork copies the library, but not the driver; the child must not write this file.
  bool is_at_home() const noexcept { return process_ == ::getpid(); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Ticket;  // of a launch, from its beginning to its end
  static thread_local Ticket the_ticket;

  bool subscribe(CUpti_CallbackFunc listener) noexcept;
  bool is_capturing(const LaunchCall& call) noexcept;
  void judge(Ticket& ticket, const char* name) noexcept;
  ContextProfiler& profiler_of(CUcontext context) noexcept;
  bool prepare(ContextProfiler& profiler, const Ticket& ticket) noexcept;
  void graph_begins(ContextProfiler& profiler) noexcept;
  ContextProfiler::Launch describe(const LaunchCall& call, const CUpti_CallbackData& data,
                                   const Ticket& ticket) noexcept;
  void go_on(ContextProfiler& profiler, std::uint64_t next) noexcept;
  void give_up(wire::Obstacle what, const std::string& text, int result = 0) noexcept;
  void spent(Clock::time_point since) noexcept;

  pid_t process_ = 0;
  void (*see_to_the_end_)() = nullptr;
  std::atomic<bool> has_ended_ = false;
  Settings settings_;
  RecordingWriter writer_;
  CuptiApi cupti_;
  DriverApi driver_;
  CUpti_SubscriberHandle subscriber_ = nullptr;
  std::atomic<std::uint64_t> launches_ = 0;
  std::mutex filter_mutex_;
  LaunchFilter filter_;
  std::mutex contexts_mutex_;
  std::map<CUcontext, std::unique_ptr<ContextProfiler>> contexts_;
  std::atomic<unsigned> in_passing_ = 0;
  std::atomic<std::uint32_t> window_ = 0;  // the number of the last one
  std::atomic<bool> is_in_window_ = false;
};

}  // namespace strobe::record
