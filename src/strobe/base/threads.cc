#include "strobe/base/threads.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace strobe {

void run_in_threads(unsigned count, const std::function<void(unsigned)>& work) {
  std::vector<std::exception_ptr> failures(count);
  const auto run = [&](unsigned i) {
    try {
      work(i);
    } catch (...) {
      failures[i] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    others.reserve(count);
    unsigned next = 1;
    try {
      for (; next < count; ++next) others.emplace_back(run, next);
    } catch (const std::system_error&) {  // the machine has no more threads
    }
    if (count > 0) run(0);
    for (; next < count; ++next) run(next);
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure != nullptr) std::rethrow_exception(failure);
  }
}

void each_in_threads(std::size_t count, unsigned threads,
                     const std::function<void(std::size_t)>& use) {
  const auto at_once = static_cast<unsigned>(std::min<std::size_t>(std::max(1u, threads), count));
  std::atomic<std::size_t> next = 0;
  run_in_threads(at_once, [&](unsigned) {
    for (std::size_t i; (i = next++) < count;) use(i);
  });
}

}  // namespace strobe
