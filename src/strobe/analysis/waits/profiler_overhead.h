#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "strobe/analysis/launches/attribution.h"
#include "strobe/base/interval.h"

// The profiler's own work, which holds the program up.
namespace strobe::analysis {

// Profilers also list overheads of the driver, such as the loading of a kernel's code. Those belong
// to the program, and the runtime call around them says more.
bool is_own_overhead(std::string_view name);

// When the profiler was at work. Its slices say nothing of threads, so only their time counts; of
// two at once, the one that started first.
class OverheadTimes {
 public:
  explicit OverheadTimes(const AttributedTrace& input);

  // Calls `use_rest` and `use_overhead` with the parts of a time, by ascending time. The times
  // themselves come by ascending start.
  template <class UseRest, class UseOverhead>
  void cut(Interval time, UseRest use_rest, UseOverhead use_overhead) {
    while (next_ < times_.size() && times_[next_].interval.end_ns <= time.start_ns) ++next_;
    std::int64_t done_ns = time.start_ns;
    for (std::size_t i = next_;; ++i) {
      const bool is_inside = i < times_.size() && times_[i].interval.start_ns < time.end_ns;
      const std::int64_t until_ns = is_inside ? times_[i].interval.start_ns : time.end_ns;
      if (done_ns < until_ns) use_rest(Interval{done_ns, until_ns});
      if (!is_inside) return;
      const Interval overhead = {std::max(until_ns, done_ns),
                                 std::min(times_[i].interval.end_ns, time.end_ns)};
      use_overhead(overhead, times_[i].name);
      done_ns = overhead.end_ns;
    }
  }

 private:
  struct Time {
    Interval interval;
    StringId name;
  };
  std::vector<Time> times_;  // disjoint, by start
  std::size_t next_ = 0;     // the first that has not ended
};

}  // namespace strobe::analysis
