#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/exec_words.h"
#include "strobe/base/result.h"

// Who can count what a worker's call does to the hardware. Recording another process is no business
// of benchmarks: whoever knows how hands it in.
namespace strobe::bench {

struct CountedLaunch {
  std::string name;  // as people write it
  std::array<std::int64_t, 3> grid = {1, 1, 1};
  std::array<std::int64_t, 3> block = {1, 1, 1};
  std::map<std::string, double> counters = {};  // by the vendor's name; absent: not counted
};

// In nanoseconds, what the floor of an empty kernel is counted with.
inline constexpr std::string_view kDurationCounter = "gpu__time_duration.sum";

class CallCounter {
 public:
  virtual ~CallCounter() = default;

  // What a worker that runs this command must find in its environment. kMachineLacks: nothing can
  // be counted here, and why.
  virtual Result<Variables> environment(const std::vector<std::string>& command) = 0;
  // Into how many calls the counters are divided: the hardware counts a few at a time.
  virtual std::size_t calls() const = 0;
  // What was launched in each call since the last time this was asked. kMachineLacks: counting
  // does not work here; anything else is of these calls alone.
  virtual Result<std::vector<std::vector<CountedLaunch>>> take() = 0;
};

}  // namespace strobe::bench
