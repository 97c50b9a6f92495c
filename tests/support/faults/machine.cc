#include "tests/support/faults/machine.h"

#include <algorithm>
#include <cmath>

namespace strobe {
namespace {

constexpr double kLaunchLatencyUs = 4;
constexpr double kUsualQueueing = 0.002;  // of a healthy host's time

std::int64_t ns(double us) { return std::llround(us * 1000); }

double drift_deviation(Dice& dice) { return dice.uniform(0.03, 0.08); }

}  // namespace

RunNoise::RunNoise(Dice dice)
    : host(1 + std::clamp(0.08 * dice.normal(), -0.2, 0.2)), copies(dice.uniform(0.75, 1.4)) {}

Machine::Machine(const Conditions& conditions, const RunNoise& noise, bool shows_scheduling,
                 Dice dice)
    : conditions_(conditions),
      noise_(noise),
      shows_scheduling_(shows_scheduling),
      dice_(dice),
      drift_{drift_deviation(dice_), 0.8, dice_.fork()} {  // in braces: evaluated in order
  const auto track = [&](std::string_view process, std::string_view thread, TrackKind kind) {
    Track one;
    one.kind = kind;
    one.process = builder_.intern(process);
    one.thread = builder_.intern(thread);
    if (kind == TrackKind::kDeviceStream) one.device = 0;
    return builder_.add_track(one);
  };
  thread_ = track("4711", "4711", TrackKind::kHostThread);
  scheduler_ = track("4711", "4712", TrackKind::kHostThread);
  main_.track = track("0", "7", TrackKind::kDeviceStream);
  side_.track = track("0", "20", TrackKind::kDeviceStream);
  next_wait_us_ = dice_.uniform(20, 400);
}

void Machine::begin_cycle(double slowdown) {
  const double drift = std::clamp(drift_.next(), -0.25, 0.4);
  host_factor_ =
      noise_.host * (1 + drift) * slowdown * conditions_.host_slowdown / conditions_.cpu_clock;
}

SliceId Machine::add(std::string_view name, Interval interval, TrackId track, SliceKind kind,
                     std::string_view category) {
  TraceBuilder::SliceRow row;
  row.start_ns = interval.start_ns;
  row.duration_ns = interval.length_ns();
  row.name = builder_.intern(name);
  row.track = track;
  row.category = builder_.category(category);
  row.kind = kind;
  return builder_.add_slice(row);
}

SliceId Machine::open(std::string_view name, SliceKind kind, std::string_view category) {
  return add(name, {now_ns_, now_ns_}, thread_, kind, category);
}

void Machine::close(SliceId range) {
  auto& slices = builder_.slices();
  slices.durations_ns[range.index()] = now_ns_ - slices.starts_ns[range.index()];
}

void Machine::compute(double us) {
  const double noise = dice_.chance(0.003) ? dice_.uniform(2, 6) : 1 + 0.06 * dice_.normal();
  const double spent_us = us * host_factor_ * noise;
  now_ns_ += ns(spent_us);
  wait_for_core(spent_us);
  wait_for_page(spent_us);
}

void Machine::wait_for_page(double computed_us) {
  constexpr double kPageUs = 1000;
  owed_paging_us_ += computed_us * conditions_.paging / (1 - conditions_.paging);
  while (owed_paging_us_ >= kPageUs) {
    const std::int64_t start_ns = now_ns_;
    sleep(kPageUs);
    happenings_.paging.push_back({start_ns, now_ns_});
    owed_paging_us_ -= kPageUs;
  }
}

// A scheduler makes a process wait in pieces of up to a few milliseconds, at any point.
void Machine::wait_for_core(double computed_us) {
  const double share = std::max({kUsualQueueing, conditions_.core_wait, conditions_.quota_stop});
  owed_wait_us_ += computed_us * share / (1 - share);
  if (owed_wait_us_ < next_wait_us_) return;
  const Interval wait{now_ns_, now_ns_ + ns(owed_wait_us_)};
  if (shows_scheduling_) {
    add("oncpu", {on_core_since_ns_, wait.start_ns}, scheduler_, SliceKind::kOther, "os_sched");
    add("runq", wait, scheduler_, SliceKind::kOther, "os_sched");
  }
  happenings_.queued.push_back(wait);
  now_ns_ = on_core_since_ns_ = wait.end_ns;
  owed_wait_us_ = 0;
  const bool is_held_up = conditions_.core_wait > 0 || conditions_.quota_stop > 0;
  next_wait_us_ = is_held_up ? dice_.uniform(100, 3000) : dice_.uniform(5, 60);
}

void Machine::sleep(double us) {
  const Interval pause{now_ns_, now_ns_ + ns(us)};
  if (shows_scheduling_) {
    add("oncpu", {on_core_since_ns_, pause.start_ns}, scheduler_, SliceKind::kOther, "os_sched");
  }
  happenings_.asleep.push_back(pause);
  now_ns_ = on_core_since_ns_ = pause.end_ns;
}

void Machine::read_file(double us) {
  const std::int64_t start_ns = now_ns_;
  sleep(us * conditions_.read_slowdown * dice_.uniform(0.8, 1.3));
  happenings_.reading.push_back({start_ns, now_ns_});
  if (shows_scheduling_) {
    add("read", {start_ns, now_ns_}, scheduler_, SliceKind::kOther, "os_io");
  }
}

void Machine::profile(double us) {
  const std::int64_t start_ns = now_ns_;
  compute(us);
  add("Activity Buffer Request", {start_ns, now_ns_}, thread_, SliceKind::kOverhead, "overhead");
}

void Machine::call(std::string_view name, double us) {
  const SliceId range = open(name, SliceKind::kRuntimeCall, "cuda_runtime");
  compute(us);
  close(range);
}

void Machine::synchronize(std::string_view name) {
  const SliceId range = open(name, SliceKind::kRuntimeCall, "cuda_runtime");
  now_ns_ = std::max({now_ns_, main_.free_ns, side_.free_ns});
  compute(6);
  close(range);
}

Interval Machine::run(Lane& lane, const Work& work, std::int64_t not_before_ns) {
  const std::int64_t start_ns = std::max(lane.free_ns, not_before_ns);
  const Interval interval{start_ns, start_ns + std::max<std::int64_t>(200, ns(work.us))};
  lane.free_ns = interval.end_ns + 300;
  happenings_.device_busy.push_back(interval);
  if (interval.start_ns >= recorded_from_ns_) {
    const SliceId slice = add(work.name, interval, lane.track, work.kind,
                              work.kind == SliceKind::kMemcpy ? "gpu_memcpy" : "kernel");
    builder_.slices().flags[slice.index()] = work.flags;
    builder_.slices().correlations[slice.index()] = correlation_;
    builder_.slices().args[slice.index()] = args_.add(work.args);
  }
  return interval;
}

void Machine::launch(std::string_view call_name, double call_us, Stream stream, const Work& work) {
  const SliceId range = open(call_name, SliceKind::kRuntimeCall, "cuda_runtime");
  builder_.slices().correlations[range.index()] = ++correlation_;
  compute(call_us);
  close(range);
  run(lane(stream), work, now_ns_ + ns(kLaunchLatencyUs));
}

void Machine::copy(std::string_view work_name, std::int64_t bytes, double us) {
  const double outlier = dice_.chance(0.04) ? dice_.uniform(1.5, 4) : 1 + 0.05 * dice_.normal();
  const SliceId range = open("cudaMemcpyAsync", SliceKind::kRuntimeCall, "cuda_runtime");
  builder_.slices().correlations[range.index()] = ++correlation_;
  compute(12);
  close(range);
  const Interval interval =
      run(main_,
          {.name = work_name,
           .kind = SliceKind::kMemcpy,
           .us = us * noise_.copies * outlier / conditions_.bus_speed,
           .args = "{\"device\":0,\"stream\":7,\"bytes\":" + std::to_string(bytes) + "}"},
          now_ns_ + ns(kLaunchLatencyUs));
  happenings_.copies.push_back({interval, bytes});
}

std::int64_t Machine::reach_collective() {
  const SliceId range = open("cudaLaunchKernelExC", SliceKind::kRuntimeCall, "cuda_runtime");
  builder_.slices().correlations[range.index()] = ++correlation_;
  compute(8);
  close(range);
  reached_ns_ = std::max({now_ns_ + ns(kLaunchLatencyUs), main_.free_ns, side_.free_ns});
  return reached_ns_;
}

void Machine::finish_collective(std::string_view name, std::int64_t all_there_ns,
                                std::int64_t bytes, double us) {
  const double moving_us = us / conditions_.link_speed * (1 + 0.02 * dice_.normal());
  const double waiting_us = static_cast<double>(all_there_ns - reached_ns_) * 1e-3;
  const Interval interval = run(side_,
                                {.name = name,
                                 .us = waiting_us + moving_us,
                                 .args = "{\"device\":0,\"stream\":20,\"grid\":[24,1,1]}",
                                 .flags = kCommunicates},
                                reached_ns_);
  main_.free_ns = interval.end_ns;
  happenings_.collectives.push_back({{all_there_ns, interval.end_ns}, bytes});
}

std::shared_ptr<const Trace> Machine::take_trace(std::int64_t base_time_ns) {
  happenings_.extent = {0, std::max({now_ns_, main_.free_ns, side_.free_ns})};
  builder_.args() = args_.finish();
  Metadata& metadata = builder_.metadata();
  metadata.base_time_ns = base_time_ns;
  metadata.devices.push_back({.id = 0, .name = "NVIDIA H200"});
  return std::make_shared<const Trace>(std::move(builder_).build());
}

}  // namespace strobe
