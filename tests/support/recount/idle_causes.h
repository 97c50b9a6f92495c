#pragma once

#include "tests/support/recount/device_times.h"
#include "tests/support/recount/recount.h"
#include "tests/support/recount/sorted_slices.h"

namespace strobe::recount {

// What the host did while every device was idle.
void count_idle_causes(const SortedSlices& slices, const DeviceTimes& times, Tables& tables);

}  // namespace strobe::recount
