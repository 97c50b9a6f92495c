#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "strobe/analysis/launches/attribution.h"
#include "strobe/compare/measure/function_index.h"
#include "strobe/compare/measure/time_parts.h"

namespace strobe::compare {

// Device work, counted in the cycle in which the host launched it. It may run much later: if the
// host does not wait for the device, the time of a cycle says little about its work.

// Some launches are missing at the borders of a recording.
class KnownLaunches {
 public:
  void count(bool is_known) {
    ++works_;
    known_ += is_known ? 1 : 0;
  }
  bool are_enough() const {
    constexpr double kEnough = 0.95;
    return known_ > 0 && static_cast<double>(known_) >= kEnough * static_cast<double>(works_);
  }

 private:
  std::size_t works_ = 0;
  std::size_t known_ = 0;
};

// Of one function. Empty if the launches of its work are not known.
struct LaunchedFunction {
  std::vector<std::uint32_t> calls;   // per cycle
  std::vector<std::int64_t> time_ns;  // per cycle, whole durations
};

// Of one device.
struct LaunchedWork {
  std::vector<std::int64_t> busy_ns;  // per cycle, union; empty if launches are not known
  std::int64_t overhang_ns = 0;       // from the end of the last cycle to the last end of this work
};

struct LaunchedWorks {
  std::vector<LaunchedFunction> functions;  // as the index has them
  std::vector<LaunchedWork> devices;        // as the index has them
};

LaunchedWorks add_up_launched_work(const analysis::AttributedTrace& input,
                                   const FunctionIndex& index, const TimeParts& cycles);

}  // namespace strobe::compare
