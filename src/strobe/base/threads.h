#pragma once

#include <cstddef>
#include <functional>

namespace strobe {

// Calls work(0) to work(count - 1) at the same time, work(0) on the caller's thread, and returns
// when all have ended. On a machine without so many threads the last ones run after work(0). What
// the first of them throws (memory may run out) is thrown again here, after all have ended.
void run_in_threads(unsigned count, const std::function<void(unsigned)>& work);

// Calls use(0) to use(count - 1) once each, about in this order, from `threads` threads at most.
void each_in_threads(std::size_t count, unsigned threads,
                     const std::function<void(std::size_t)>& use);

}  // namespace strobe
