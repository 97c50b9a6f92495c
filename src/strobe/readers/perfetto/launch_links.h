#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "strobe/readers/trace_sink.h"

namespace strobe::readers::perfetto {

// Which call submitted which device work, and what waited for it, by the numbers of the file.
class LaunchLinks {
 public:
  void submits(std::uint32_t call, std::uint64_t work) { submits_.push_back({call, work}); }
  void waits(std::uint32_t waiter, std::uint64_t work) { waits_.push_back({waiter, work}); }
  void work(std::uint32_t row, std::uint64_t number) { work_.push_back({row, number}); }

  // Gives calls and their work one correlation each, and draws flows to what waited.
  void join(TraceSink& sink);

 private:
  struct Link {
    std::uint32_t row;
    std::uint64_t number;  // of device work
  };
  std::vector<Link> submits_;
  std::vector<Link> waits_;
  std::vector<Link> work_;
};

// Says of the points of each flow which is the first and which is the last; points that the file
// says are last end it.
void find_flow_phases(FlowVectors& flows);

}  // namespace strobe::readers::perfetto
