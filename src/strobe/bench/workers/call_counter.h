#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/exec_words.h"
#include "strobe/base/result.h"

// Counts what a worker's call does to the hardware. Benchmarks do not record other processes
// themselves: the caller provides an implementation.
namespace strobe::bench {

struct CountedLaunch {
  std::string name;  // demangled
  std::array<std::int64_t, 3> grid = {1, 1, 1};
  std::array<std::int64_t, 3> block = {1, 1, 1};
  std::map<std::string, double> counters = {};  // by the vendor's name; absent: not counted
};

// In nanoseconds; the floor of an empty kernel is counted with it.
inline constexpr std::string_view kDurationCounter = "gpu__time_duration.sum";

class CallCounter {
 public:
  virtual ~CallCounter() = default;

  // Environment variables for a worker that runs this command. kMachineLacks: nothing can be
  // counted here, and why.
  virtual Result<Variables> environment(const std::vector<std::string>& command) = 0;
  // Over how many calls the counters are divided: the hardware counts only a few at a time.
  virtual std::size_t calls() const = 0;
  // The launches of each call since the last take(). kMachineLacks: counting does not work here;
  // any other error concerns these calls only.
  virtual Result<std::vector<std::vector<CountedLaunch>>> take() = 0;
};

}  // namespace strobe::bench
