#pragma once

#include <string>
#include <string_view>

#include "strobe/bench/workers/call_counter.h"
#include "strobe/bench/workers/runner.h"

// One floor is not measured but counted: how long the hardware says that an empty kernel takes. A
// worker of its own launches it, under the counter's eyes.
namespace strobe::bench {

inline constexpr std::string_view kDurationCounter = "gpu__time_duration.sum";

// In microseconds. Fails where nothing can be counted; nobody misses it much.
Result<double> count_empty_kernel_us(const RunRequest& request, const std::string& provider,
                                     CallCounter& counter);

}  // namespace strobe::bench
