#pragma once

#include <functional>

namespace strobe {

// Calls work(0) to work(count - 1) at the same time, work(0) on the caller's thread, and returns
// when all have ended. On a machine without so many threads the last ones run after work(0). What
// the first of them throws (memory may run out) is thrown again here, after all have ended.
void run_in_threads(unsigned count, const std::function<void(unsigned)>& work);

}  // namespace strobe
