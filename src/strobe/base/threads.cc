#include "strobe/base/threads.h"

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

}  // namespace strobe
