#pragma once

#include <chrono>

namespace strobe::bench {

// Host time since its construction.
class StopWatch {
 public:
  double us() const { return std::chrono::duration<double, std::micro>(elapsed()).count(); }
  double ms() const { return std::chrono::duration<double, std::milli>(elapsed()).count(); }

 private:
  std::chrono::steady_clock::duration elapsed() const {
    return std::chrono::steady_clock::now() - start_;
  }

  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace strobe::bench
