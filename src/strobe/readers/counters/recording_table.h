#pragma once

#include <string>
#include <string_view>

#include "strobe/base/result.h"
#include "strobe/readers/counters/kernel_recording.h"
#include "strobe/trace/kernel_table.h"

namespace strobe::readers {

// docs/formats/kernel_recording.md, as a list of kernels: process after process in the order in
// which they began, launches in the order in which they were made. Losses become remarks.
Result<KernelTable> read_kernel_recording(std::string_view bytes, const std::string& path);

}  // namespace strobe::readers
