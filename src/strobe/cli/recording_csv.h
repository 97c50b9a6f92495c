#pragma once

#include <string>

#include "strobe/readers/counters/kernel_recording.h"

namespace strobe::cli {

// A recording as the raw page of Nsight Compute's CSV: identity columns, then the metrics under
// their own names, units in the second line. Tools that read that page can read this.
std::string recording_csv(const readers::KernelRecording& recording);

}  // namespace strobe::cli
