#pragma once

#include "strobe/base/interval.h"
#include "strobe/trace/trace.h"

namespace strobe::analysis {

// A time in which no thread of the host shows anything but steps.
struct HostGap {
  Interval interval;
  SliceId before;  // the outermost slice that ends where it begins; invalid at the start
  SliceId after;   // the outermost one that begins where it ends; invalid at the end
};

// The longest one inside `extent`; empty if there is none.
HostGap find_longest_host_gap(const Trace& trace, Interval extent);

}  // namespace strobe::analysis
