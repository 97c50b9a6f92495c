#pragma once

#include <functional>

#include "strobe/bench/providers/cuda/device.h"

// Marks for a recorder that may watch this process: what lies between them is counted.
namespace strobe::bench {

// The recorder sets itself up at the first mark, which moves memory, so what must precede the
// counted work comes after it: `prepare`, waited for. kTooLittleData where the driver has no marks.
Result<void> run_in_window(CudaDevice& device, const std::function<Result<void>()>& prepare,
                           const std::function<Result<void>()>& counted);

}  // namespace strobe::bench
