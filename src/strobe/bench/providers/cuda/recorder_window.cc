#include "strobe/bench/providers/cuda/recorder_window.h"

namespace strobe::bench {

Result<void> run_in_window(CudaDevice& device, const std::function<Result<void>()>& prepare,
                           const std::function<Result<void>()>& counted) {
  const DriverApi& driver = device.driver();
  if (driver.profiler_start == nullptr || driver.profiler_stop == nullptr) {
    return Error{.code = ErrorCode::kTooLittleData,
                 .what = "the driver has no cuProfilerStart",
                 .where = device.name(),
                 .hint = ""};
  }
  STROBE_TRY_VOID(device.synchronize());
  STROBE_TRY_VOID(device.check(driver.profiler_start(), "cuProfilerStart"));
  Result<void> ran = prepare();
  if (ran) ran = device.synchronize();
  // The second mark: what was seen so far does not count.
  if (ran) ran = device.check(driver.profiler_start(), "cuProfilerStart");
  if (ran) ran = counted();
  // Also after a failure: the recorder must not go on.
  const Result<void> finished = device.synchronize();
  const Result<void> stopped = device.check(driver.profiler_stop(), "cuProfilerStop");
  if (!ran) return ran;
  if (!finished) return finished;
  return stopped;
}

}  // namespace strobe::bench
