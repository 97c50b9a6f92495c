#pragma once

#include "strobe/bench/providers/cuda/device_clock.h"
#include "strobe/bench/results/cell_record.h"

// What measuring itself costs on this machine.
namespace strobe::bench {

// `empty_kernel`, the duration that the device itself takes down, is absent where CUPTI is.
Result<Floors> measure_cuda_floors(DeviceClock& clock);

}  // namespace strobe::bench
