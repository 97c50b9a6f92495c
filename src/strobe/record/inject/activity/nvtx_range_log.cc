#include "strobe/record/inject/activity/nvtx_range_log.h"

#include <sched.h>

#include <ctime>

namespace strobe::record {

// The thread that holds it needs some nanoseconds, or has lost its core. After a while the thread
// sleeps: one of a higher priority would otherwise keep that core.
void SwiftLock::wait() noexcept {
  constexpr int kTurnsBeforeSleep = 64;
  int turns = 0;
  while (is_taken_.exchange(true, std::memory_order_acquire)) {
    if (++turns < kTurnsBeforeSleep) {
      sched_yield();
    } else {
      const timespec pause = {0, 50'000};
      nanosleep(&pause, nullptr);
    }
  }
}

}  // namespace strobe::record
