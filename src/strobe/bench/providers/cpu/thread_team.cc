#include "strobe/bench/providers/cpu/thread_team.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <utility>

#include "strobe/bench/providers/cpu/host.h"

namespace strobe::bench {
namespace {

// If it fails, the work still runs, on any processor.
void pin(const std::vector<int>& processors) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : processors) CPU_SET(cpu, &set);
  pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

// Short work ends before a sleeping thread would wake.
constexpr int kSpins = 20'000;

template <class T>
void wait_while(std::atomic<T>& value, T old) {
  for (int i = 0; i < kSpins; ++i) {
    if (value.load(std::memory_order_acquire) != old) return;
  }
  value.wait(old, std::memory_order_acquire);
}

}  // namespace

ThreadTeam::ThreadTeam(std::vector<int> processors)
    : processors_(std::move(processors)), parts_(processors_.size()) {
  for (std::int64_t thread = 1; thread < size(); ++thread) {
    others_.emplace_back([this, thread] { serve(thread); });
  }
}

ThreadTeam::~ThreadTeam() {
  is_over_ = true;
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  for (std::thread& other : others_) other.join();
}

void ThreadTeam::serve(std::int64_t thread) {
  pin({processors_[static_cast<std::size_t>(thread)]});
  for (std::uint64_t seen = 0;;) {
    wait_while(round_, seen);
    // One round at a time: run() does not return before every thread has reported that it is done.
    ++seen;
    if (is_over_) return;
    if (thread < threads_) (*work_)(thread);
    if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_one();
  }
}

void ThreadTeam::run(std::int64_t threads, const Work& work) {
  threads = std::min(threads, size());
  if (threads <= 1) {
    work(0);
    return;
  }
  work_ = &work;
  threads_ = threads;
  busy_.store(size() - 1, std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  work(0);
  for (std::int64_t busy = busy_.load(std::memory_order_acquire); busy != 0;
       busy = busy_.load(std::memory_order_acquire)) {
    wait_while(busy_, busy);
  }
}

void ThreadTeam::share(std::int64_t count, std::int64_t grain, const Range& work) {
  grain = std::max<std::int64_t>(grain, 1);
  const std::int64_t grains = (count + grain - 1) / grain;
  const std::int64_t threads = std::clamp<std::int64_t>(grains, 1, size());
  run(threads, [&](std::int64_t thread) {
    const std::int64_t first = thread * grains / threads * grain;
    const std::int64_t last = std::min(count, (thread + 1) * grains / threads * grain);
    if (first < last) work(thread, first, last);
  });
}

void ThreadTeam::share_in_pieces(std::int64_t count, std::int64_t grain, const Range& work) {
  constexpr std::int64_t kPiecesOfPart = 8;
  grain = std::max<std::int64_t>(grain, 1);
  const std::int64_t grains = (count + grain - 1) / grain;
  const std::int64_t threads = std::clamp<std::int64_t>(grains, 1, size());
  if (threads == 1) return share(count, grain, work);
  const std::int64_t piece = std::max<std::int64_t>(grains / (threads * kPiecesOfPart), 1);
  for (std::int64_t thread = 0; thread < threads; ++thread) {
    Part& part = parts_[static_cast<std::size_t>(thread)];
    part.next.store(thread * grains / threads, std::memory_order_relaxed);
    part.end = (thread + 1) * grains / threads;
  }
  run(threads, [&](std::int64_t thread) {
    for (std::int64_t other = 0; other < threads; ++other) {
      Part& part = parts_[static_cast<std::size_t>((thread + other) % threads)];
      for (;;) {
        const std::int64_t first = part.next.fetch_add(piece, std::memory_order_relaxed);
        if (first >= part.end) break;
        const std::int64_t last = std::min(first + piece, part.end);
        work(thread, first * grain, std::min(count, last * grain));
      }
    }
  });
}

ThreadTeam::PinnedCaller::PinnedCaller(const ThreadTeam& team) : before_(usable_processors()) {
  pin({team.processors_.front()});
}
ThreadTeam::PinnedCaller::~PinnedCaller() { pin(before_); }

}  // namespace strobe::bench
