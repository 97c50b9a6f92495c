#pragma once

#include "strobe/bench/providers/cuda/device_clock.h"
#include "strobe/bench/results/cell_record.h"

// How fast this GPU's memory is at its best, by kernels that do nothing else.
namespace strobe::bench {

// GB/s over 1 GiB, less where the device has no room: a copy counts what it reads and what it
// writes.
Result<Roofs> measure_cuda_roofs(DeviceClock& clock);

}  // namespace strobe::bench
