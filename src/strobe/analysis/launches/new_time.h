#pragma once

#include <algorithm>
#include <cstdint>

#include "strobe/analysis/launches/op_tree.h"
#include "strobe/base/interval.h"

namespace strobe::analysis {

// The part of a range that earlier ranges of its thread do not cover. Ranges that nest in each
// other or cross then count once where they are added up. They must come thread by thread, by
// start.
class NewTime {
 public:
  // `thread`: the root of the thread's tree.
  std::int64_t add_ns(NodeId thread, Interval range) {
    if (thread != thread_) covered_until_ns_ = range.start_ns;
    thread_ = thread;
    const std::int64_t from_ns = std::max(range.start_ns, covered_until_ns_);
    covered_until_ns_ = std::max(covered_until_ns_, range.end_ns);
    return std::max<std::int64_t>(0, range.end_ns - from_ns);
  }

 private:
  NodeId thread_;
  std::int64_t covered_until_ns_ = 0;
};

}  // namespace strobe::analysis
