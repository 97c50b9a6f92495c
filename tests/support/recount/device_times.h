#pragma once

#include "tests/support/recount/recount.h"
#include "tests/support/recount/sorted_slices.h"
#include "tests/support/recount/spans.h"

namespace strobe::recount {

// When any device did what.
struct DeviceTimes {
  explicit DeviceTimes(const SortedSlices& slices);

  Span span;  // of the trace, without what the profiler wrote about itself
  Spans busy;
  Spans idle;  // none without any work: then the device is unknown
  Spans communication;
  Spans computation;
  Spans copies;
};

// Devices, communication and streams.
void count_devices(const SortedSlices& slices, const DeviceTimes& times, Tables& tables);

}  // namespace strobe::recount
