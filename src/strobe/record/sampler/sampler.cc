#include "strobe/record/sampler/sampler.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <utility>

#include "strobe/record/sampler/proc_files.h"

namespace strobe::record {
namespace {

constexpr std::int64_t kWritePeriod_ns = 1'000'000'000;

// Both count the nanoseconds of CLOCK_MONOTONIC.
std::chrono::steady_clock::time_point time_point_of(std::int64_t run_clock_ns) {
  return std::chrono::steady_clock::time_point(std::chrono::nanoseconds(run_clock_ns));
}

}  // namespace

Sampler::Sampler(HostFile& file)
    : file_(file),
      start_ns_(wire::run_clock_ns()),
      write_({.period_ns = kWritePeriod_ns}, start_ns_ + kWritePeriod_ns) {}

void Sampler::add(std::unique_ptr<Source> source, const Rhythm& rhythm) {
  {
    const std::lock_guard lock(mutex_);
    sources_.push_back({std::move(source), Pace(rhythm, start_ns_)});
  }
  wake_.notify_all();
}

void Sampler::start() {
  // Signals are for the thread that waits for the program.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  thread_ = std::thread([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Sampler::flush() {
  std::unique_lock lock(mutex_);
  if (!thread_.joinable() || has_to_stop_) return;
  is_flush_wanted_ = true;
  wake_.notify_all();
  flushed_.wait(lock, [&] { return !is_flush_wanted_; });
}

void Sampler::between_looks(const std::function<void()>& work) {
  const std::lock_guard lock(mutex_);
  work();
}

void Sampler::stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    has_to_stop_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

std::int64_t Sampler::next_ns() const {
  std::int64_t next = write_.next_ns();
  for (const Timed& one : sources_) next = std::min(next, one.pace.next_ns());
  return next;
}

void Sampler::look_at_due(std::int64_t now_ns) {
  for (Timed& one : sources_) {
    if (!one.pace.is_due(now_ns)) continue;
    const std::int64_t cpu_before_ns = thread_cpu_ns();
    one.source->look(wire::run_clock_ns());
    one.pace.was_done(wire::run_clock_ns(), thread_cpu_ns() - cpu_before_ns);
  }
}

void Sampler::look_last() {
  for (Timed& one : sources_) one.source->look_last(wire::run_clock_ns());
}

void Sampler::write_out(std::int64_t now_ns) {
  if (file_.flush(now_ns)) {
    for (Timed& one : sources_) one.source->restart();
  }
  write_.was_done(wire::run_clock_ns(), 0);
}

void Sampler::run() {
  pthread_setname_np(pthread_self(), "strobe-sampler");
  std::unique_lock lock(mutex_);
  while (true) {
    // A source that was added meanwhile, a flush and the end wake it up before its time.
    wake_.wait_until(lock, time_point_of(next_ns()), [&] {
      return has_to_stop_ || is_flush_wanted_ || wire::run_clock_ns() >= next_ns();
    });
    const std::int64_t now_ns = wire::run_clock_ns();
    if (has_to_stop_) {
      look_last();
    } else {
      look_at_due(now_ns);
    }
    if (has_to_stop_ || is_flush_wanted_ || write_.is_due(now_ns)) write_out(now_ns);
    is_flush_wanted_ = false;
    flushed_.notify_all();
    if (has_to_stop_) break;
  }
  cost_.cpu_seconds = static_cast<double>(thread_cpu_ns()) * 1e-9;
  cost_.seconds = static_cast<double>(wire::run_clock_ns() - start_ns_) * 1e-9;
}

}  // namespace strobe::record
